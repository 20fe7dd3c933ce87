//! Checks whether a database answers reads and accepts writes. Only a write can show that writes work, because reads
//! still work on a full disk or a read-only database.

use async_trait::async_trait;

use super::{
    Database, SqlStore, SqlStoreError,
    error::SqlError,
    lead, lead_statement,
    session::{Session, Work, query},
};

impl SqlStore {
    /// Reads a lead that does not exist, so that no cache can contain it.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached.
    pub async fn probe_reads(&self) -> Result<(), SqlStoreError> {
        match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(sqlite) => {
                sqlite.row(&query!(&lead_statement::SELECT, "nobody", "nothing"), lead::read)?;
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.probe(crate::postgres::Probe::Read).await?,
        }
        Ok(())
    }

    /// Performs a write that changes no data, and waits until it is on disk.
    ///
    /// On PostgreSQL, the write uses a connection outside the pool. While one such write waits, no other one starts. On
    /// SQLite, the write is skipped if the caller stops waiting before it begins.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached or does not accept writes. For example, its disk may be full,
    /// it may be read-only, or another writer may block it for too long.
    pub async fn probe_writes(&self) -> Result<(), SqlStoreError> {
        match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(sqlite) => sqlite.check(ProbeSqlite).await?,
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.probe(crate::postgres::Probe::Write).await?,
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use rusqlite::Connection;

    use super::*;

    #[tokio::test]
    async fn a_check_whose_caller_has_given_up_does_not_delay_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.db");
        let store = SqlStore::open(&format!("sqlite:{}", path.display()).parse().unwrap()).await.unwrap();
        let other = Connection::open(&path).unwrap();
        let commits = || other.query_row("SELECT commits FROM lineage", (), |row| row.get::<_, i64>(0)).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let before = commits();
        for _ in 0..4 {
            assert!(Box::pin(store.probe_writes()).now_or_never().is_none());
        }
        other.execute_batch("COMMIT").unwrap();
        store.probe_writes().await.unwrap();
        // The first check may have begun before its caller gave up.
        assert!(commits() - before <= 2, "{} checks have run", commits() - before);
    }

    #[tokio::test]
    async fn a_check_fails_within_the_limit_of_readiness_while_another_program_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.db");
        let store = SqlStore::open(&format!("sqlite:{}", path.display()).parse().unwrap()).await.unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let checks = async { tokio::join!(store.probe_writes(), store.probe_writes()) };
        let (first, second) = tokio::time::timeout(Duration::from_secs(8), checks).await.unwrap();
        assert!(first.is_err() && second.is_err());
        other.execute_batch("COMMIT").unwrap();
        store.probe_writes().await.unwrap();
    }
}
