//! Errors that occur while opening, backing up or restoring a store.

use std::{io, path::PathBuf};

use leadapi_sqlite_file::FileError;

use crate::remedy::Remedy;

/// An error that occurs while opening, backing up or restoring a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("SQLite {found} is too old: versions before {oldest} can corrupt a file")]
    Old { found: &'static str, oldest: &'static str },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the thread that writes or checks the file could not be started")]
    Thread(#[source] io::Error),
    #[error("the file is a SQLite database of another application")]
    Foreign,
    #[error("the schema version is {found}, but this binary supports only up to {known}: use a newer binary")]
    Newer { found: i64, known: usize },
    #[error(
        "the file cannot be changed, and its schema version {found} is older than {known}: restore it into a new store, \
         and use that store"
    )]
    Unmigrated { path: PathBuf, found: usize, known: usize },
    #[error("the file system does not allow a write-ahead log (journal mode {0})")]
    NoLog(String),
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error("the store already exists")]
    Exists,
}

impl OpenError {
    pub(crate) fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::File(FileError::StaleLog { path, .. }) => Remedy::Restore(path.clone()),
            Self::File(FileError::LostLog { path, .. }) => Remedy::RestoreOrAcceptLoss(path.clone()),
            Self::Unmigrated { path, .. } => Remedy::RestoreElsewhere(path.clone()),
            Self::Exists => Remedy::Replace,
            _ => return None,
        })
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::File(error.into())
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error.into())
    }
}
