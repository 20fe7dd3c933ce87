//! Errors that occur while opening a file as a store.

use std::{io, path::PathBuf};

/// An error that occurs while opening a file as a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("SQLite is {found}, and before {oldest} it could corrupt a file")]
    Old { found: &'static str, oldest: &'static str },
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("the thread that writes could not be started")]
    Thread(#[source] io::Error),
    #[error("it is a SQLite database of something else")]
    Foreign,
    #[error("its schema is of version {found}, and this binary knows up to {known}: use a newer binary")]
    Newer { found: i64, known: usize },
    #[error("the file system does not allow a write-ahead log (journal mode {0})")]
    NoLog(String),
    #[error("another server serves it")]
    Locked,
    #[error(
        "the write-ahead log {} belongs to another file than {}, as when a backup is copied over a store after a crash; \
         nothing was changed. To serve a backup, run: leadapi-server data restore BACKUP --store sqlite:{} --force. \
         To serve what the log belongs to, put the original file back.",
        log.display(), path.display(), path.display()
    )]
    StaleLog { path: PathBuf, log: PathBuf },
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error("the store already exists; --force replaces it, and keeps the former one under another name")]
    Exists,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}
