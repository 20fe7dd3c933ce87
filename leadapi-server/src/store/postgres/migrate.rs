//! Migrates a database to the schema of this version.

use deadpool_postgres::Object;

use super::connect::OpenError;

/// The migrations, each from one version of the schema to the next.
const MIGRATIONS: &[&str] = &[include_str!("0001.sql"), include_str!("0002.sql")];

/// Runs the missing migrations in one transaction under an advisory lock. Of two servers that start at once, the second
/// waits and then finds the work done. If nothing is missing, a role without the right to create tables can start.
pub(super) async fn migrate(client: &mut Object) -> Result<(), OpenError> {
    if version(client).await? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    // The key of the lock is "leadapi" in ASCII. No limits apply: the wait lasts as long as another migration.
    transaction
        .batch_execute(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
             SELECT pg_advisory_xact_lock(x'6c656164617069'::bigint); \
             CREATE TABLE IF NOT EXISTS leadapi_schema (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)",
        )
        .await?;
    for (nth, migration) in MIGRATIONS.iter().enumerate().skip(version(&transaction).await?) {
        transaction.batch_execute(migration).await?;
        let version = i32::try_from(nth + 1).unwrap_or(i32::MAX);
        transaction.execute("INSERT INTO leadapi_schema VALUES ($1, now())", &[&version]).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// The version of the schema; 0 if there is none.
async fn version(client: &impl deadpool_postgres::GenericClient) -> Result<usize, OpenError> {
    let exists: bool = client.query_one("SELECT to_regclass('leadapi_schema') IS NOT NULL", &[]).await?.try_get(0)?;
    if !exists {
        return Ok(0);
    }
    let row = client.query_one("SELECT coalesce(max(version), 0) FROM leadapi_schema", &[]).await?;
    let found: i32 = row.try_get(0)?;
    let newer = OpenError::Newer { found, known: MIGRATIONS.len() };
    usize::try_from(found).ok().filter(|found| *found <= MIGRATIONS.len()).ok_or(newer)
}
