//! The identity of a store, which changes when the store is restored from a backup.

use super::{Database, SqlStore, SqlStoreError, session::query};

const SQLITE: &str = "SELECT store_id FROM lineage";

/// Managed services may not let their users call the function.
const POSTGRES_SHOWS_ITS_CLUSTER: &str =
    "SELECT count(*) FROM pg_proc WHERE proname = 'pg_control_system' AND has_function_privilege(oid, 'EXECUTE')";

const POSTGRES_CLUSTER: &str = "SELECT system_identifier::text FROM pg_control_system()";

/// A restored dump has a table with a new oid, and rows with a new xmin. A physical copy, such as a standby, keeps both.
const POSTGRES: &str = "SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || '.' || \
    'leadapi_schema'::regclass::oid || '.' || xmin || '.' || (extract(epoch FROM applied_at) * 1000000)::bigint \
    FROM leadapi_schema ORDER BY version LIMIT 1";

impl SqlStore {
    /// Returns the id of this store, an opaque string without spaces. A restored store has a different id, although its
    /// data equals the data of the original. A program that remembers what it has written to a store should also
    /// remember this id, because a restored store may not contain these writes.
    ///
    /// For SQLite, the id is in the file. A [backup](Self::backup) and a [restored](crate::DatabaseUrl::restore) store
    /// get a new id. A file that was copied by other means keeps its id.
    ///
    /// For PostgreSQL, the id consists of the identifier of the cluster and of properties of a table that change when a
    /// dump is restored, whether into the same database, another database or another cluster. After a failover to a
    /// physical standby, the id is the same. An upgrade with `pg_upgrade`, and a move to another cluster by logical
    /// replication, change the id although no write is lost. A point-in-time recovery or a restored snapshot of a disk
    /// or a volume keeps the id, because PostgreSQL cannot distinguish it from a failover.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// use leadapi_sql::{DatabaseUrl, SqlStore};
    ///
    /// let url: DatabaseUrl = format!("sqlite:{}", folder.path().join("leads.db").display()).parse()?;
    /// let store = SqlStore::open(&url).await?;
    /// assert_eq!(store.store_id().await?, SqlStore::open(&url).await?.store_id().await?);
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Runtime::new()?.block_on(example())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn store_id(&self) -> Result<String, SqlStoreError> {
        let text =
            async |sql| Ok::<_, SqlStoreError>(self.database.row(None, query!(sql), |mut row| row.take()).await?);
        let id: Option<String> = match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => text(SQLITE).await?,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => {
                let shown: Option<i64> =
                    self.database.row(None, query!(POSTGRES_SHOWS_ITS_CLUSTER), |mut row| row.take()).await?;
                let cluster = if shown == Some(0) { None } else { text(POSTGRES_CLUSTER).await? };
                let cluster = cluster.unwrap_or_default();
                text(POSTGRES).await?.map(|rest: String| format!("{cluster}.{rest}"))
            }
        };
        id.ok_or_else(|| SqlStoreError::Refused("the store has no id, because a table was emptied".to_owned()))
    }
}
