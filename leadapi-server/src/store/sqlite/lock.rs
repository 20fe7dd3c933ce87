//! The lock that prevents a second server from serving the same file, even under another path.
//!
//! The lock is taken on a file next to the database, which works on every supported system. On Linux, the database
//! itself is locked too, which also covers hard links and a deleted lock file.
//!
//! On Linux, these locks (`flock`) are independent of SQLite's locks (`fcntl`). However, when a process closes any
//! descriptor of a file, it loses all its `fcntl` locks on that file, so a `FileLock` must be dropped after the last
//! connection.

use std::{
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::{error::OpenError, file::with_suffix};

/// An exclusive lock for serving a file, released on drop.
#[derive(Debug)]
pub(super) struct FileLock {
    _held: Vec<File>,
}

impl FileLock {
    /// Locks an existing file. Fails if another server is serving it.
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
