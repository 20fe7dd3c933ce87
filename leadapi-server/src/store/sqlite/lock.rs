//! The lock that prevents a second server from serving the same file, whatever its path.
//!
//! The lock is taken on a file next to the database, which every system supports. On Linux, it is also taken on the
//! database itself, which also works for hard links, and after the lock file was deleted.
//!
//! Linux keeps these locks (`flock`) apart from those of SQLite (`fcntl`), but closing any descriptor of a file
//! releases the latter. So a lock must be dropped after the last connection.

use std::{
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::{error::OpenError, file::with_suffix};

/// The exclusive right to serve a file, held until it is dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    _held: Vec<File>,
}

impl FileLock {
    /// Locks a file, which must exist. Fails if another server serves it.
    pub(super) fn acquire(path: &Path) -> Result<Self, OpenError> {
        let lock_file = with_suffix(&path.canonicalize()?, "-lock");
        let lock_file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(lock_file)?;
        let mut held = vec![try_lock(lock_file)?];
        if cfg!(target_os = "linux") {
            held.push(try_lock(File::open(path)?)?);
        }
        Ok(Self { _held: held })
    }
}

fn try_lock(file: File) -> Result<File, OpenError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
