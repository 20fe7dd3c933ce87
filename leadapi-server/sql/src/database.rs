//! Passes statements, units of work and writes to the database that holds the data.

use leadapi_core::{id::BusinessId, model::LeadQuery, port::Listed};

use super::{
    Database,
    error::SqlError,
    read::List,
    row::Row,
    session::{Query, Work},
    write::{Write, WriteOutcome},
};

impl Database {
    /// Returns whether the database is distributed over several nodes, each of which holds some of the businesses.
    pub(super) fn is_distributed(&self) -> bool {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.is_distributed(),
        }
    }

    /// Runs one read statement, and maps each row with `read`. Pass `None` for a statement that belongs to no single
    /// business.
    pub(super) async fn rows<T>(
        &self,
        business: Option<&BusinessId>,
        query: Query,
        read: impl FnMut(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.rows(&query, read),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.rows(business, &query, read).await,
        }
    }

    /// Runs one read statement, and returns its first row, mapped with `read`.
    pub(super) async fn row<T>(
        &self,
        business: Option<&BusinessId>,
        query: Query,
        read: impl Fn(Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.row(&query, read),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => Ok(postgres.rows(business, &query, read).await?.into_iter().next()),
        }
    }

    pub(super) async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.read(&List { business: business.clone(), query: query.clone() }),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.list(business, query).await,
        }
    }

    pub(super) async fn read<W: Work>(&self, business: &BusinessId, work: W) -> Result<W::Output, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.read(&work),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.read(business, &work).await,
        }
    }

    /// Reads without a time limit.
    pub(super) async fn read_long<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.read(&work),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.read_long(&work).await,
        }
    }

    pub(super) async fn write(&self, business: &BusinessId, write: Write) -> Result<WriteOutcome, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.write(business, write).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.write(business, write).await,
        }
    }

    /// Runs a unit of work that may write. If `business` is given, other writes to that business are blocked while the
    /// work runs. Pass `None` for work that affects several businesses or none.
    pub(super) async fn work<W: Work>(&self, business: Option<&BusinessId>, work: W) -> Result<W::Output, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.work(work).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.work(business, work).await,
        }
    }

    /// Runs a short write that belongs to no business. After an error, or if the caller stops waiting, the write may or
    /// may not have been applied.
    pub(super) async fn brief_work<W: Work>(&self, work: W) -> Result<W::Output, SqlError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(sqlite) => sqlite.work(work).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.brief_work(work).await,
        }
    }
}
