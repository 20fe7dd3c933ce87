//! The sockets of listeners: an IP address, or a Unix socket.

use std::{fmt, io, net::SocketAddr, path::PathBuf, str::FromStr};
#[cfg(unix)]
use std::{
    fs,
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::Path,
};

use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// The address of a listener: an IP address with a port, or the path of a Unix socket (`unix:PATH`).
///
/// ```
/// use leadapi_server::ListenAddress;
///
/// assert_eq!("127.0.0.1:8081".parse::<ListenAddress>()?.to_string(), "127.0.0.1:8081");
/// # #[cfg(unix)]
/// assert_eq!("unix:/run/leadapi.sock".parse::<ListenAddress>()?, ListenAddress::Unix("/run/leadapi.sock".into()));
/// # Ok::<(), leadapi_server::InvalidListenAddress>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListenAddress {
    /// An IP address and a port. With port 0, the operating system chooses the port.
    Tcp(SocketAddr),
    /// The path of a Unix socket, to which only its owner and its group can connect.
    Unix(PathBuf),
}

/// The error for a text that is neither an address nor a Unix socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an address such as 127.0.0.1:8081, or unix:PATH")]
pub struct InvalidListenAddress;

impl FromStr for ListenAddress {
    type Err = InvalidListenAddress;

    fn from_str(text: &str) -> Result<Self, InvalidListenAddress> {
        match text.strip_prefix("unix:") {
            Some("") => Err(InvalidListenAddress),
            Some(path) if cfg!(unix) => Ok(Self::Unix(path.into())),
            _ => text.parse().map(Self::Tcp).map_err(|_| InvalidListenAddress),
        }
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket that is bound to an address, for a [`Listener`](crate::Listener).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(async {
/// let socket = leadapi_server::Socket::bind(&"127.0.0.1:0".parse()?).await?;
/// assert!(socket.is_loopback());
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Socket(pub(super) Bound);

#[derive(Debug)]
pub(super) enum Bound {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixSocket),
}

/// An accepted connection.
pub(super) enum Accepted {
    Tcp(TcpStream, SocketAddr),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Bound {
    pub(super) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(socket) => socket.accept().await.map(|(stream, peer)| Accepted::Tcp(stream, peer)),
            #[cfg(unix)]
            Self::Unix(UnixSocket { socket, .. }) => socket.accept().await.map(|(stream, _)| Accepted::Unix(stream)),
        }
    }
}

impl Socket {
    /// Binds to an address. A Unix socket that no process listens on is replaced.
    ///
    /// # Errors
    ///
    /// Returns an error if the address cannot be bound, for example because it is in use.
    pub async fn bind(address: &ListenAddress) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(address) => Ok(Self(Bound::Tcp(TcpListener::bind(address).await?))),
            #[cfg(unix)]
            ListenAddress::Unix(path) => Ok(Self(Bound::Unix(UnixSocket::bind(path)?))),
            #[cfg(not(unix))]
            ListenAddress::Unix(path) => Err(io::Error::new(io::ErrorKind::Unsupported, path.display().to_string())),
        }
    }

    /// Returns the IP address and the port, or `None` for a Unix socket.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.0 {
            Bound::Tcp(socket) => socket.local_addr().ok(),
            #[cfg(unix)]
            Bound::Unix(_) => None,
        }
    }

    /// Returns whether only this machine can reach the socket through its IP address. A Unix socket has none.
    pub fn is_loopback(&self) -> bool {
        self.local_addr().is_some_and(|address| address.ip().is_loopback())
    }
}

/// A Unix socket, which is removed on drop.
#[derive(Debug)]
#[cfg(unix)]
pub(super) struct UnixSocket {
    socket: UnixListener,
    path: PathBuf,
}

#[cfg(unix)]
impl UnixSocket {
    /// Binds to a path. Replaces a socket that no process listens on. Only the owner and the group may connect.
    fn bind(path: &Path) -> io::Result<Self> {
        // Connecting to a file that is not a socket also fails, and that file must not be removed.
        let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
        if is_socket
            && std::os::unix::net::UnixStream::connect(path)
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        {
            fs::remove_file(path)?;
        }
        let socket = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o660))?;
        Ok(Self { socket, path: path.to_owned() })
    }
}

#[cfg(unix)]
impl Drop for UnixSocket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the Unix socket could not be removed");
        }
    }
}
