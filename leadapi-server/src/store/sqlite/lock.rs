//! The lock that keeps a second server off a file, whatever name it goes by.
//!
//! It is taken on a file beside the database, which every system supports, and on Linux on the database itself too: that
//! holds for a hard link, and after somebody has deleted the file beside it. Linux keeps these locks (`flock`) apart from
//! those that SQLite takes (`fcntl`), but closing any descriptor of a file drops the latter. So a lock must be dropped after
//! the last connection.

use std::{
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::open::{OpenError, with_suffix};

/// The right to serve a file, until it is dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    _held: Vec<File>,
}

impl FileLock {
    /// Fails where another server serves the file, which must exist.
    pub(super) fn acquire(path: &Path) -> Result<Self, OpenError> {
        let beside = with_suffix(&path.canonicalize()?, "-lock");
        let beside = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(beside)?;
        let mut held = vec![locked(beside)?];
        if cfg!(target_os = "linux") {
            held.push(locked(File::open(path)?)?);
        }
        Ok(Self { _held: held })
    }
}

fn locked(file: File) -> Result<File, OpenError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
