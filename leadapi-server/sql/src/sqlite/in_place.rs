//! Checks that the paths of an open database still refer to the same files.
//!
//! SQLite continues to write to a file that was deleted, replaced or moved. Later writes would be acknowledged, but
//! lost or stored in an unexpected file.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::file::{Inode, inode, with_suffix};

/// The suffixes of the files that a command uses.
pub(super) const OPENED: &[&str] = &["", "-wal", "-shm"];
/// The suffixes of the files that a server uses.
pub(super) const SERVED: &[&str] = &["", "-wal", "-shm", "-lock"];

/// The identities of the database, its write-ahead log, the log index and, in a server, the lock file when the database
/// was opened.
#[derive(Debug)]
pub(super) struct FilesInPlace(Vec<(PathBuf, Inode)>);

/// The error for a path that no longer refers to the open file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Displaced {
    #[error("{} was deleted or moved while it was in use: the latest changes may be lost", .0.display())]
    Missing(PathBuf),
    #[error(
        "{} was replaced while it was in use: the latest changes may be in the former file, in the new one, or lost",
        .0.display()
    )]
    Replaced(PathBuf),
    #[error("cannot look up {}", .0.display())]
    Unknown(PathBuf, #[source] io::Error),
}

impl FilesInPlace {
    /// Records a database's files. The database must be open, so that its log exists.
    pub(super) fn of(path: &Path, suffixes: &[&str]) -> io::Result<Self> {
        // If the path is a symbolic link, the other files are next to the link's target and named after the target.
        let target = path.canonicalize()?;
        let files = suffixes.iter().map(|suffix| with_suffix(&target, suffix));
        let names = files.chain([std::path::absolute(path)?]);
        names.map(|name| Ok((name.clone(), inode(&name)?))).collect::<io::Result<_>>().map(Self)
    }

    pub(super) fn check(&self) -> Result<(), Displaced> {
        self.0.iter().try_for_each(|(name, served)| match inode(name) {
            Ok(found) if found == *served => Ok(()),
            Ok(_) => Err(Displaced::Replaced(name.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Displaced::Missing(name.clone())),
            Err(error) => Err(Displaced::Unknown(name.clone(), error)),
        })
    }
}
