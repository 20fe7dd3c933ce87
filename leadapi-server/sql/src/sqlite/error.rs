//! Errors that occur while opening, backing up or restoring a store.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::access::Denied;

/// An error that occurs while opening, backing up or restoring a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("SQLite {found} is too old: versions before {oldest} can corrupt a file")]
    Old { found: &'static str, oldest: &'static str },
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("the folder {} does not exist", .0.display())]
    NoFolder(PathBuf),
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("the thread that writes or checks the file could not be started")]
    Thread(#[source] io::Error),
    #[error("the file is a SQLite database of another application")]
    Foreign,
    #[error("the file is not empty, and is not a SQLite database; nothing was changed")]
    NotADatabase,
    #[error("the schema version is {found}, but this binary supports only up to {known}: use a newer binary")]
    Newer { found: i64, known: usize },
    #[error(
        "the file cannot be changed, and its schema version {found} is older than {known}: restore it into a new store \
         with \"data restore\", and use that store"
    )]
    Unmigrated { found: usize, known: usize },
    #[error("the file system does not allow a write-ahead log (journal mode {0})")]
    NoLog(String),
    #[error("another server is serving the file")]
    Served,
    #[error("{0} has the store open: stop it, and try again")]
    InUse(String),
    #[error("{0} has locked the store, for example to restore it: try again when it has ended")]
    InUseExclusively(String),
    #[error("{0} uses the file under another name (a hard link), where its write-ahead log is: use that name")]
    OtherName(String),
    #[error("the file was replaced or removed at the same time: try again")]
    Changed,
    #[error(
        "the write-ahead log {} does not belong to {}, for example because a backup was copied over a store after a \
         crash; nothing was changed. To serve a backup, run: leadapi data restore BACKUP --store sqlite:{} \
         --force. To serve the original store, put its file back.",
        log.display(), path.display(), path.display()
    )]
    StaleLog { path: PathBuf, log: PathBuf },
    #[error(
        "{} was not closed in an orderly way, and its write-ahead log {} is missing, which contained the latest writes; \
         nothing was changed. Put the log back next to the file, or run: leadapi data restore BACKUP --store \
         sqlite:{} --force. If another program such as sqlite3 has opened the store since then, it has applied and \
         removed the log, and nothing is lost. To continue with the writes that the file contains, run once: \
         leadapi business list --store sqlite:{} --accept-loss",
        path.display(), log.display(), path.display(), path.display()
    )]
    LostLog { path: PathBuf, log: PathBuf },
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error(
        "{} has a write-ahead log, but its folder cannot be written: copy both files to another folder, and restore \
         from there",
        .0.display()
    )]
    LogInReadOnlyFolder(PathBuf),
    #[error("the store already exists; use --force to replace it and keep the former store under another name")]
    Exists,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

impl OpenError {
    /// Explains why a file with a log cannot be read: SQLite needs to write the log's index.
    pub(super) fn log_is_unreadable(path: &Path) -> Self {
        Denied::of(path).map_or_else(|| Self::LogInReadOnlyFolder(path.to_owned()), Into::into)
    }

    /// Explains an error from looking up or creating a file, if a folder is missing or the user may not access the
    /// file.
    pub(super) fn of_path(path: &Path, error: io::Error) -> Self {
        let folder = super::file::folder(path);
        match error.kind() {
            io::ErrorKind::NotFound if !folder.exists() => Self::NoFolder(folder.to_owned()),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Denied::of(path).map_or(Self::File(error), Self::Denied)
            }
            _ => Self::File(error),
        }
    }
}
