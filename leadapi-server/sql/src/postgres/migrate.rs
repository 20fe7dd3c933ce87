//! Migrates the schema of a database to this version.

use deadpool_postgres::{GenericClient, Object};
use leadapi_core::{error_chain, validate::email_key};
use tracing::warn;

use super::{
    connect::OpenError,
    layout::{self, exists},
};
use crate::migrations;

/// Locks the migration on all nodes of a distributed database. The advisory lock would not suffice, because each node
/// has its own. It is still taken, because servers of earlier versions check only the advisory lock.
const LOCK: &str = "INSERT INTO exclusive_task VALUES ('migrate') ON CONFLICT DO NOTHING; \
    SELECT FROM exclusive_task WHERE task = 'migrate' FOR UPDATE";

/// Runs in a transaction of its own, so that no server waits for it.
const ANALYZE: &str = "BEGIN; SET LOCAL statement_timeout = 0; ANALYZE lead; COMMIT";

/// Runs the pending migrations in one transaction under a lock. If two servers start at the same time, the second waits
/// and then finds nothing left to do. If no migration is pending, the database role needs no permission to
/// create tables.
pub(super) async fn migrate(client: &mut Object) -> Result<(), OpenError> {
    if version(client).await? == migrations::POSTGRES.len() {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    // The lock key is "leadapi" in ASCII. The timeouts are disabled, because a migration by another server may take a
    // long time.
    transaction
        .batch_execute(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
             SELECT pg_advisory_xact_lock(x'6c656164617069'::bigint); \
             CREATE TABLE IF NOT EXISTS leadapi_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)",
        )
        .await?;
    if exists(&transaction, "exclusive_task").await? {
        transaction.batch_execute(LOCK).await?;
    }
    let mut changes_statistics = false;
    for (nth, migration) in migrations::POSTGRES.iter().enumerate().skip(version(&transaction).await?) {
        transaction.batch_execute(migration).await?;
        if *migration == migrations::POSTGRES_EMAIL_KEYS {
            fix_email_keys(&transaction).await?;
        }
        changes_statistics |= *migration == migrations::POSTGRES_STATISTICS;
        let version = i32::try_from(nth + 1).unwrap_or(i32::MAX);
        transaction.execute("INSERT INTO leadapi_schema VALUES ($1, now())", &[&version]).await?;
    }
    layout::complete(&transaction).await?;
    transaction.commit().await?;
    if changes_statistics && let Err(error) = client.batch_execute(ANALYZE).await {
        warn!(error = error_chain(&error), "the table lead could not be analyzed: autovacuum does it later");
        client.batch_execute("ROLLBACK").await?;
    }
    Ok(())
}

async fn fix_email_keys(client: &impl GenericClient) -> Result<(), OpenError> {
    for member in client.query(migrations::MEMBERS_TO_FIX, &[]).await? {
        let (business, email): (&str, &str) = (member.try_get(0)?, member.try_get(1)?);
        let key = email_key(email);
        if key != email {
            client.execute(migrations::FIX_EMAIL_KEY, &[&key, &business, &email]).await?;
        }
    }
    Ok(())
}

/// Returns the schema version, or 0 if there is no schema.
async fn version(client: &impl GenericClient) -> Result<usize, OpenError> {
    if !exists(client, "leadapi_schema").await? {
        return Ok(0);
    }
    let row = client.query_one("SELECT coalesce(max(version), 0) FROM leadapi_schema", &[]).await?;
    let found: i32 = row.try_get(0)?;
    let newer = OpenError::Newer { found, known: migrations::POSTGRES.len() };
    usize::try_from(found).ok().filter(|found| *found <= migrations::POSTGRES.len()).ok_or(newer)
}
