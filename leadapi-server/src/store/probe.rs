//! Checks whether a database accepts writes. Only a write can determine this, because reads still work on a full disk
//! or a read-only database.

use async_trait::async_trait;

use super::{
    AdminError, Database, SqlStore,
    error::SqlError,
    session::{Session, Work, query},
};

/// A write that changes only the commit count in `lineage`.
const SQLITE: &[&str] = &["UPDATE lineage SET store_id = store_id"];

/// TRUNCATE gives the table a new, empty file, so the insert must allocate disk space. It cannot reuse the space of a
/// deleted row.
const POSTGRES: &[&str] = &["TRUNCATE readiness_probe", "INSERT INTO readiness_probe VALUES (0)"];

impl SqlStore {
    /// Performs a write that changes no data, and waits until it is on disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached or does not accept writes. For example, its disk may be full,
    /// it may be read-only, or another writer may block it for too long.
    pub async fn probe_writes(&self) -> Result<(), AdminError> {
        let statements = match &self.database {
            Database::Sqlite(_) => SQLITE,
            Database::Postgres(_) => POSTGRES,
        };
        Ok(self.database.work(None, Probe(statements)).await?)
    }
}

struct Probe(&'static [&'static str]);

#[async_trait]
impl Work for Probe {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        for statement in self.0 {
            session.execute(query!(statement)).await?;
        }
        Ok(())
    }
}
