//! Errors that occur while opening, backing up or restoring a store.

use std::{io, path::PathBuf};

/// An error that occurs while opening, backing up or restoring a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("SQLite {found} is too old: versions before {oldest} can corrupt a file")]
    Old { found: &'static str, oldest: &'static str },
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("the writer thread could not be started")]
    Thread(#[source] io::Error),
    #[error("the file is a SQLite database of another application")]
    Foreign,
    #[error("the schema version is {found}, but this binary supports only up to {known}: use a newer binary")]
    Newer { found: i64, known: usize },
    #[error("the file system does not allow a write-ahead log (journal mode {0})")]
    NoLog(String),
    #[error("another server is serving the file")]
    Locked,
    #[error(
        "the write-ahead log {} does not belong to {}, for example because a backup was copied over a store after a \
         crash; nothing was changed. To serve a backup, run: leadapi-server data restore BACKUP --store sqlite:{} \
         --force. To serve the original store, put its file back.",
        log.display(), path.display(), path.display()
    )]
    StaleLog { path: PathBuf, log: PathBuf },
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error("the store already exists; use --force to replace it and keep the former store under another name")]
    Exists,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}
