//! Whether a database takes writes: a small one is made, because a full disk or a read-only database still answers reads.

use async_trait::async_trait;

use super::{
    AdminError, Database, SqlStore,
    session::{Session, SqlError, Work, query},
};

/// Changes nothing but the count of transactions.
const SQLITE: &[&str] = &["UPDATE lineage SET store_id = store_id"];

/// Gives the table a new, empty file, so that its first row needs space that no deleted row has left.
const POSTGRES: &[&str] = &["TRUNCATE write_probe", "INSERT INTO write_probe VALUES (0)"];

impl SqlStore {
    /// Makes a write that changes no data, and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// The database cannot be reached, or takes no writes now: its disk is full, it is read-only, or something else is
    /// writing to it at length.
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
            session.tell(query!(statement)).await?;
        }
        Ok(())
    }
}
