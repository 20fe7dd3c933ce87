//! The listener for the API settings, on an IP address or a Unix socket.

use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use tokio::{net::TcpListener, task::JoinHandle};

use super::{Settings, handler::SettingsHandler, person::Peer};
use crate::{
    limits::HttpLimits,
    listen::{Certified, Listener, OpenConnections, Replaceable},
    metrics::ConnectionMetrics,
    shutdown::Shutdown,
};

/// The connection limit, which can be small because only owners and admins connect.
const MAX_CONNECTIONS: usize = 64;

/// The address or the Unix socket to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsSocket {
    Address(SocketAddr),
    Unix(PathBuf),
}

/// The error for a text that is neither an address nor a Unix socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an address such as 127.0.0.1:8081, or unix:PATH")]
pub(crate) struct InvalidSocket;

impl FromStr for SettingsSocket {
    type Err = InvalidSocket;

    fn from_str(text: &str) -> Result<Self, InvalidSocket> {
        match text.strip_prefix("unix:") {
            Some("") => Err(InvalidSocket),
            Some(path) if cfg!(unix) => Ok(Self::Unix(path.into())),
            _ => text.parse().map(Self::Address).map_err(|_| InvalidSocket),
        }
    }
}

impl fmt::Display for SettingsSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A bound listener.
#[derive(Debug)]
pub(crate) enum SettingsListener {
    Address(TcpListener),
    #[cfg(unix)]
    Unix(unix::Socket),
}

impl SettingsSocket {
    pub(crate) async fn bind(&self) -> io::Result<SettingsListener> {
        match self {
            Self::Address(address) => TcpListener::bind(address).await.map(SettingsListener::Address),
            #[cfg(unix)]
            Self::Unix(path) => unix::Socket::bind(path).map(SettingsListener::Unix),
            #[cfg(not(unix))]
            Self::Unix(path) => Err(io::Error::new(io::ErrorKind::Unsupported, path.display().to_string())),
        }
    }
}

impl SettingsListener {
    /// Returns the IP address and the port, or `None` for a Unix socket.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Address(socket) => socket.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix(_) => None,
        }
    }

    /// Returns whether the listener uses TLS if the server has a certificate. Requests from the same machine do not
    /// need TLS.
    pub(crate) fn uses_tls(&self) -> bool {
        self.address().is_some_and(|address| !address.ip().is_loopback())
    }

    /// Serves the pages until the server stops. The task returns the connections that are still open.
    pub(crate) fn start(
        self,
        settings: Arc<Settings>,
        tls: Option<Certified>,
        shutdown: Shutdown,
        connections: Option<usize>,
    ) -> JoinHandle<OpenConnections> {
        let connections = connections.map_or(MAX_CONNECTIONS, |connections| connections.min(MAX_CONNECTIONS));
        let limits = Arc::new(HttpLimits::default().of_small_listener(connections));
        let tls = tls.map(|certified| certified.bounded(&limits));
        let metrics = settings.connections.clone();
        let handler = SettingsHandler { settings, peer: Peer::Unix };
        match self {
            Self::Address(socket) => {
                let listener = Listener::new(socket, tls, limits, metrics, Replaceable::Idle);
                tokio::spawn(listener.accept(handler, shutdown))
            }
            #[cfg(unix)]
            Self::Unix(socket) => tokio::spawn(socket.accept(handler, limits, metrics, shutdown)),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::{
        fs,
        os::unix::fs::{FileTypeExt, PermissionsExt},
    };

    use tokio::net::UnixListener;

    use super::{Arc, ConnectionMetrics, HttpLimits, OpenConnections, Path, PathBuf, SettingsHandler, Shutdown, io};
    use crate::listen::accept_unix;

    /// A Unix socket, which is removed on drop.
    #[derive(Debug)]
    pub(crate) struct Socket {
        socket: UnixListener,
        path: PathBuf,
    }

    impl Socket {
        /// Binds to a path. Replaces a socket that no process listens on. Only the owner and the group may connect.
        pub(super) fn bind(path: &Path) -> io::Result<Self> {
            // Connecting to a file that is not a socket also fails, and that file must not be removed.
            let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
            if is_socket && std::os::unix::net::UnixStream::connect(path).is_err_and(|error| is_stale(&error)) {
                fs::remove_file(path)?;
            }
            let socket = UnixListener::bind(path)?;
            fs::set_permissions(path, fs::Permissions::from_mode(0o660))?;
            Ok(Self { socket, path: path.to_owned() })
        }

        pub(super) async fn accept(
            self,
            handler: SettingsHandler,
            limits: Arc<HttpLimits>,
            metrics: ConnectionMetrics,
            shutdown: Shutdown,
        ) -> OpenConnections {
            accept_unix(&self.socket, handler, limits, metrics, shutdown).await
        }
    }

    impl Drop for Socket {
        fn drop(&mut self) {
            if let Err(error) = fs::remove_file(&self.path) {
                tracing::debug!(%error, "the Unix socket of the API settings could not be removed");
            }
        }
    }

    fn is_stale(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::ConnectionRefused
    }
}
