#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(all(feature = "sqlite", feature = "postgres")),
    allow(
        dead_code,
        irrefutable_let_patterns,
        unused_imports,
        unused_variables,
        clippy::unused_async,
        reason = "one database alone does not need everything that both share"
    )
)]

mod admin;
mod author;
mod backup;
mod change;
mod clock;
mod database;
mod error;
mod expired;
mod export;
mod idempotency;
mod identity;
mod import;
mod lead;
mod lead_counts;
mod lead_port;
mod lead_statement;
mod lookup;
mod migrations;
#[cfg(feature = "postgres")]
mod postgres;
mod probe;
mod rate_limiter;
mod read;
mod remedy;
mod row;
mod serving;
mod session;
mod settings;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statement;
mod sync;
mod tokens;
mod url;
mod write;

#[cfg(not(any(feature = "sqlite", feature = "postgres")))]
compile_error!("enable the feature `sqlite`, `postgres` or both");

use std::sync::Arc;

use leadapi_core::{BoxError, error_chain, port::StoreError, tokens::TokenUses};

use self::error::SqlError;
#[cfg(feature = "postgres")]
use self::postgres::Postgres;
#[cfg(feature = "sqlite")]
use self::sqlite::Sqlite;

pub use self::{
    admin::FirstRecords,
    clock::StoreClock,
    import::Imported,
    remedy::Remedy,
    url::{DatabaseUrl, InvalidDatabaseUrl},
};

/// An error that occurs while opening a database as a store. The message is for the operator.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {url} as a store: {cause}")]
pub struct OpenError {
    url: DatabaseUrl,
    cause: String,
    remedy: Option<Remedy>,
}

impl OpenError {
    /// Returns what the operator can do, if the database is a SQLite file that is refused.
    pub const fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }
}

/// The error for a database whose feature is disabled.
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
#[derive(Debug, thiserror::Error)]
#[error("this build does not support this kind of database")]
struct Unsupported;

/// The error for a database that cannot be distributed.
#[derive(Debug, thiserror::Error)]
#[error("only a PostgreSQL database with the extension citus can be distributed")]
struct NotDistributable;

/// An error from an operation of a [`SqlStore`] that belongs to no port, such as a backup or an import.
///
/// Nothing was changed, unless the method documents otherwise or the outcome of the commit is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlStoreError {
    /// The operation is not allowed, or a backup or restore failed. The message gives the reason.
    #[error("{0}")]
    Refused(String),
    /// The operation is not allowed, but the operator can do something about the file.
    #[error("{0}")]
    Remediable(String, Remedy),
    /// The operation failed for another reason, such as a database error.
    #[error("{}", error_chain(&**.0))]
    Failed(BoxError),
}

impl From<SqlError> for SqlStoreError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Refused(text) => Self::Refused(text),
            SqlError::Admin(refusal) => Self::Refused(refusal.to_string()),
            other => Self::Failed(other.into()),
        }
    }
}

impl From<StoreError> for SqlStoreError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// A [`Store`](leadapi_core::port::Store), [`TokenStore`](leadapi_core::port::TokenStore) and
/// [`SettingsStore`](leadapi_core::port::SettingsStore) backed by a database.
#[derive(Debug, Clone)]
pub struct SqlStore {
    database: Database,
    /// The uses of tokens that have not been recorded yet.
    token_uses: Arc<TokenUses>,
}

#[derive(Debug, Clone)]
enum Database {
    #[cfg(feature = "sqlite")]
    Sqlite(Arc<Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(Arc<Postgres>),
}

impl SqlStore {
    /// Opens a database, and migrates its schema to this version. Creates the SQLite file if it does not exist.
    ///
    /// Several processes can have a SQLite file open. If the file or its folder cannot be written and there is no
    /// write-ahead log, as for a backup on a read-only file system, the store is opened read-only.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached or used safely, belongs to another application, or has a
    /// newer schema than this version supports. Also returns an error if a SQLite file was not closed in an orderly way
    /// and its write-ahead log is missing, unless the loss is [accepted](DatabaseUrl::accept_loss).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, OpenError> {
        Self::open_by(url, false).await
    }

    /// Opens a database for a server. Only one server can serve a SQLite file, but any number can share a PostgreSQL
    /// database.
    ///
    /// Other processes can [`open`](Self::open) the database while the server runs. While a SQLite database is in use,
    /// its files must stay in place. If the file, its write-ahead log, the log's index or the server's lock file is
    /// deleted, moved or replaced, the store stops acknowledging writes, and [`failed`](Self::failed) completes.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`open`](Self::open), and also if another server is already serving the
    /// file, or if the file cannot be written.
    pub async fn open_to_serve(url: &DatabaseUrl) -> Result<Self, OpenError> {
        Self::open_by(url, true).await
    }

    async fn open_by(url: &DatabaseUrl, to_serve: bool) -> Result<Self, OpenError> {
        let failed =
            |cause: &dyn std::error::Error, remedy| OpenError { url: url.clone(), cause: error_chain(cause), remedy };
        let database = match url.kind() {
            #[cfg(feature = "sqlite")]
            url::DatabaseKind::Sqlite { path, accept_loss } => {
                let open = if to_serve { Sqlite::open_to_serve } else { Sqlite::open };
                Database::Sqlite(open(path, *accept_loss).map_err(|error| failed(&error, error.remedy()))?.into())
            }
            #[cfg(feature = "postgres")]
            url::DatabaseKind::Postgres { url, connections } => {
                let postgres = Postgres::open(url, *connections).await;
                Database::Postgres(postgres.map_err(|error| failed(&error, None))?.into())
            }
            #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
            _ => return Err(failed(&Unsupported, None)),
        };
        Ok(Self { database, token_uses: Arc::default() })
    }

    /// Distributes the tables of a PostgreSQL database over the nodes of its Citus cluster, and migrates its schema to
    /// this version before that. Returns the number of tables that were not distributed yet, so 0 means that nothing
    /// was left to do. The `url` is that of the coordinator.
    ///
    /// The tables are locked meanwhile. Stop the servers first, because their statements would time out.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be opened, does not have the extension `citus`, or is a SQLite file. The
    /// tables then stay as they were.
    pub async fn distribute(url: &DatabaseUrl) -> Result<usize, OpenError> {
        let failed =
            |cause: &dyn std::error::Error| OpenError { url: url.clone(), cause: error_chain(cause), remedy: None };
        match url.kind() {
            #[cfg(feature = "postgres")]
            url::DatabaseKind::Postgres { url, .. } => Postgres::distribute(url).await.map_err(|error| failed(&error)),
            _ => Err(failed(&NotDistributable)),
        }
    }

    /// Returns the clock by which the store judges time.
    ///
    /// Pass it to everything that uses the store, such as [`LeadServiceBuilder::clock`], [`StoredTokens`] and
    /// [`Sessions`]. Servers that share a PostgreSQL database then agree on the time, whatever their system clocks say.
    ///
    /// [`LeadServiceBuilder::clock`]: leadapi_core::http::LeadServiceBuilder::clock
    /// [`StoredTokens`]: leadapi_core::tokens::StoredTokens
    /// [`Sessions`]: leadapi_core::tokens::Sessions
    pub fn clock(&self) -> StoreClock {
        match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => StoreClock::SYSTEM,
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.clock(),
        }
    }

    /// Completes when the storage fails, and returns the reason. The store then stops acknowledging writes, and the
    /// server must stop. For PostgreSQL, the future never completes.
    pub async fn failed(&self) -> String {
        match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(sqlite) => sqlite.failed().await,
            // PostgreSQL monitors its own disk.
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => std::future::pending().await,
        }
    }
}
