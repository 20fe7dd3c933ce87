//! Checks that the paths of an open database still refer to the same files.
//!
//! SQLite continues to write to a file that was deleted, replaced or moved. Later writes would be acknowledged, but
//! lost or stored in an unexpected file.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::file::{Inode, inode, with_suffix};

/// The suffixes of the files that every process uses.
const OPENED: &[&str] = &["", "-wal", "-shm"];
/// The suffixes of the files that a server uses.
const SERVED: &[&str] = &["", "-wal", "-shm", "-lock"];

/// The files of an open database: the database, its write-ahead log, the log's index and, in a server, the lock file.
#[derive(Debug)]
pub struct FilesInPlace(Vec<(PathBuf, Inode)>);

/// The error for a path that no longer refers to the open file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Displaced {
    /// The path names no file.
    #[error("{} was deleted or moved while it was in use: the latest changes may be lost", .0.display())]
    Missing(PathBuf),
    /// The path names a different file.
    #[error(
        "{} was replaced while it was in use: the latest changes may be in the former file, in the new one, or lost",
        .0.display()
    )]
    Replaced(PathBuf),
    /// The path cannot be looked up.
    #[error("cannot look up {}", .0.display())]
    Unknown(PathBuf, #[source] io::Error),
}

impl FilesInPlace {
    /// Records the files of an open database. A transaction must have been started, so that its log exists.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the files cannot be looked up.
    pub fn opened(path: &Path) -> io::Result<Self> {
        Self::of(path, OPENED)
    }

    /// Records the files of an open database and its [`ServerLock`](crate::ServerLock).
    ///
    /// # Errors
    ///
    /// Returns an error if one of the files cannot be looked up.
    pub fn served(path: &Path) -> io::Result<Self> {
        Self::of(path, SERVED)
    }

    fn of(path: &Path, suffixes: &[&str]) -> io::Result<Self> {
        // If the path is a symbolic link, the other files are next to the link's target and named after the target.
        let target = path.canonicalize()?;
        let files = suffixes.iter().map(|suffix| with_suffix(&target, suffix));
        let names = files.chain([std::path::absolute(path)?]);
        names.map(|name| Ok((name.clone(), inode(&name)?))).collect::<io::Result<_>>().map(Self)
    }

    /// Checks that each path still names the same file. A commit may be acknowledged only after this check.
    ///
    /// # Errors
    ///
    /// Returns an error for the first path that does not name the same file.
    pub fn check(&self) -> Result<(), Displaced> {
        self.0.iter().try_for_each(|(name, served)| match inode(name) {
            Ok(found) if found == *served => Ok(()),
            Ok(_) => Err(Displaced::Replaced(name.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Displaced::Missing(name.clone())),
            Err(error) => Err(Displaced::Unknown(name.clone(), error)),
        })
    }
}
