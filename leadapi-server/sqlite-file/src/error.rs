//! Errors that occur while a file is checked, locked or marked.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{access::Denied, file};

/// An error that occurs while a file is checked, locked or marked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file system failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The folder of the file does not exist.
    #[error("the folder {} does not exist", .0.display())]
    NoFolder(PathBuf),
    /// The user of the process may not access the file as required.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The file is neither empty nor a SQLite database.
    #[error("the file is not empty, and is not a SQLite database; nothing was changed")]
    NotADatabase,
    /// Another server holds the [`ServerLock`](crate::ServerLock).
    #[error("another server is serving the file")]
    Served,
    /// Another process has the file open. The string describes the process.
    #[error("{0} has the store open: stop it, and try again")]
    InUse(String),
    /// Another process has locked the file exclusively. The string describes the process.
    #[error("{0} has locked the store, for example to restore it: try again when it has ended")]
    InUseExclusively(String),
    /// Another process uses the file under a different name. The string describes the process.
    #[error("{0} uses the file under another name (a hard link), where its write-ahead log is: use that name")]
    OtherName(String),
    /// The path no longer names the file.
    #[error("the file was replaced or removed at the same time: try again")]
    Changed,
    /// The log next to the file belongs to another file.
    #[error(
        "the write-ahead log {} does not belong to {}, for example because a backup was copied over a store after a \
         crash; nothing was changed: restore a backup in place of the file, or put the original file back",
        log.display(), path.display()
    )]
    StaleLog {
        /// The file.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// The file is incomplete without its log, which is missing.
    #[error(
        "{} was not closed in an orderly way, and its write-ahead log {} is missing, which contained the latest writes; \
         nothing was changed: put the log back next to the file, restore a backup in place of the file, or accept the \
         loss; if another program such as sqlite3 has opened the file since then, it has applied and removed the log, \
         and nothing is lost",
        path.display(), log.display()
    )]
    LostLog {
        /// The file.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// The log of a file cannot be read, because its index cannot be written.
    #[error(
        "{} has a write-ahead log, but its folder cannot be written: copy both files to another folder, and restore \
         from there",
        .0.display()
    )]
    LogInReadOnlyFolder(PathBuf),
    /// The file now has the id of a different store.
    #[error("another store was copied over the file while it was in use")]
    Overwritten,
    /// SQLite failed.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

impl FileError {
    /// Explains why a file with a log cannot be read: SQLite needs to write the log's index.
    pub fn log_is_unreadable(path: &Path) -> Self {
        Denied::of(path).map_or_else(|| Self::LogInReadOnlyFolder(path.to_owned()), Into::into)
    }

    /// Explains an error from looking up or creating a file, if a folder is missing or the user may not access the
    /// file.
    pub fn of_path(path: &Path, error: io::Error) -> Self {
        let folder = file::folder(path);
        match error.kind() {
            io::ErrorKind::NotFound if !folder.exists() => Self::NoFolder(folder.to_owned()),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Denied::of(path).map_or(Self::Io(error), Self::Denied)
            }
            _ => Self::Io(error),
        }
    }
}
