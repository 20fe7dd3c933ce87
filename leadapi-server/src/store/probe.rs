//! Checks whether a database answers reads and accepts writes. Only a write can determine the latter, because reads still
//! work on a full disk or a read-only database.

use async_trait::async_trait;

use super::{
    AdminError, Database, SqlStore,
    error::SqlError,
    lead, lead_statement,
    postgres::Probe,
    session::{Session, Work, query},
};

impl SqlStore {
    /// Reads a lead that does not exist, so that no cache can contain it.
    pub(crate) async fn probe_reads(&self) -> Result<(), AdminError> {
        match &self.database {
            Database::Sqlite(sqlite) => {
                sqlite.row(&query!(&lead_statement::SELECT, "nobody", "nothing"), lead::read)?;
            }
            Database::Postgres(postgres) => postgres.probe(Probe::Read).await?,
        }
        Ok(())
    }

    /// Performs a write that changes no data, and waits until it is on disk.
    ///
    /// On PostgreSQL, the write uses a connection outside the pool. While one write waits, no other one starts.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached or does not accept writes. For example, its disk may be full,
    /// it may be read-only, or another writer may block it for too long.
    pub async fn probe_writes(&self) -> Result<(), AdminError> {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.work(ProbeSqlite).await?,
            Database::Postgres(postgres) => postgres.probe(Probe::Write).await?,
        }
        Ok(())
    }
}

/// A write that changes only the commit count in `lineage`.
struct ProbeSqlite;

#[async_trait]
impl Work for ProbeSqlite {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        session.execute(query!("UPDATE lineage SET store_id = store_id")).await
    }
}
