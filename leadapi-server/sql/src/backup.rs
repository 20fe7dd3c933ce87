//! Backs up and restores a SQLite store.

use std::path::{Path, PathBuf};

use leadapi_core::error_chain;

#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{Database, DatabaseUrl, SqlStore, SqlStoreError, url::DatabaseKind};

impl SqlStore {
    /// Copies a snapshot of a SQLite database into a new file while writes continue. `progress` receives the number of
    /// pages copied so far and the total.
    ///
    /// # Errors
    ///
    /// Returns an error if the file already exists or cannot be written, or if the database fails or is not SQLite.
    pub fn backup(&self, to: &Path, progress: impl FnMut(u64, u64)) -> Result<(), SqlStoreError> {
        match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(sqlite) => sqlite
                .backup(to, progress)
                .map_err(|error| SqlStoreError::Refused(format!("{}: {}", to.display(), error_chain(&error)))),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => {
                Err(SqlStoreError::Refused("back up PostgreSQL with its own tools, such as pg_dump".to_owned()))
            }
        }
    }
}

impl DatabaseUrl {
    /// Restores this store from a SQLite backup. An existing store is replaced only if `replace` is true. The former
    /// store is kept under another name, which is returned.
    ///
    /// # Errors
    ///
    /// Returns an error if the backup is damaged or not a backup of a store, or if a process has the store open. Also
    /// returns an error if the store exists and `replace` is false, or if the database is not SQLite. In all these
    /// cases, the store is unchanged.
    pub fn restore(&self, backup: &Path, replace: bool) -> Result<Option<PathBuf>, SqlStoreError> {
        match self.kind() {
            #[cfg(feature = "sqlite")]
            DatabaseKind::Sqlite { path, accept_loss } => {
                sqlite::restore(backup, path, replace, *accept_loss).map_err(|error| {
                    let text = format!("cannot restore {self}: {}", error_chain(&error));
                    match error.remedy() {
                        Some(remedy) => SqlStoreError::Remediable(text, remedy),
                        None => SqlStoreError::Refused(text),
                    }
                })
            }
            #[cfg(not(feature = "sqlite"))]
            DatabaseKind::Sqlite { .. } => Err(SqlStoreError::Refused("this build does not support SQLite".to_owned())),
            DatabaseKind::Postgres { .. } => {
                Err(SqlStoreError::Refused("restore PostgreSQL with its own tools, such as pg_restore".to_owned()))
            }
        }
    }
}
