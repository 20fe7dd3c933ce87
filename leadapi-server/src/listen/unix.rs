//! A Unix socket, and the connections that it accepts.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tokio::net::UnixListener;

/// A Unix socket, which is removed on drop.
#[derive(Debug)]
pub(super) struct UnixSocket {
    pub(super) socket: UnixListener,
    path: PathBuf,
}

impl UnixSocket {
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
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the Unix socket could not be removed");
        }
    }
}

fn is_stale(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}
