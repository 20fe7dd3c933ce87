//! Builds a connection pool with timeouts from a parsed URL.

use std::{sync::Arc, time::Duration};

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime};
use tokio_postgres::error::SqlState;

use super::{
    hosts::Hosts,
    layout_error::LayoutError,
    sql_state::ReadOnly,
    tls::TlsError,
    url::{InvalidUrl, Target},
};

/// The maximum time that a request waits for a connection from the pool.
pub(super) const POOL_WAIT: Duration = Duration::from_secs(1);
/// The oldest supported PostgreSQL version, in the format of `server_version_num`.
const MIN_VERSION: i32 = 150_000;

/// The settings of each connection, which override those that the role or the database presets. The timeouts are in
/// milliseconds. PostgreSQL has `transaction_timeout` since version 17.
///
/// The access mode is not overridden, because an operator makes a database read-only on purpose.
///
/// The last statement configures the planner for short statements that run often. PostgreSQL plans each statement once
/// for all parameters, and reads rows through an index and in its order instead of sorting them. It plans a statement
/// again only after one of its tables has been analyzed, so a plan must be good for tables of any size. Otherwise, a
/// plan that was made for an empty table could scan it for hours once it is large. A PostgreSQL-compatible database may
/// lack these settings.
///
/// Citus can plan some statements only with their parameters. `citus.propagate_set_commands`
/// makes it pass `SET LOCAL` on to the other nodes, so that the timeouts of the transaction apply there too.
const SETTINGS: &str = "SET statement_timeout = 5000; SET lock_timeout = 2000; \
    SET idle_in_transaction_session_timeout = 5000; SET client_min_messages = warning; \
    SET default_transaction_isolation = 'read committed'; \
    SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'transaction_timeout'); \
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; \
    SELECT set_config(name, planned, false) FROM pg_settings JOIN (VALUES ('enable_sort', 'off'), \
    ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'), ('jit', 'off'), \
    ('max_parallel_workers_per_gather', '0'), ('citus.propagate_set_commands', 'local'), ('plan_cache_mode', \
    CASE WHEN current_setting('citus.version', true) IS NULL THEN 'force_generic_plan' ELSE 'auto' END)) \
    AS planner (name, planned) USING (name)";

/// An error that occurs while opening a database as a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    #[error(
        "transactions on one connection run in different sessions, as behind PgBouncer in transaction mode: \
         use a pooler in session mode, or connect to PostgreSQL directly"
    )]
    TransactionPooler,
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("the connection pool could not be created")]
    Pool(#[from] deadpool_postgres::BuildError),
    #[error("PostgreSQL {0} is too old: version 15 or later is required")]
    Old(String),
    #[error(
        "the encoding of the database is {0}, which cannot store every text: create a database with \
         CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding(String),
    #[error("the schema version is {found}, but this binary supports only up to {known}: use a newer binary")]
    Newer { found: i32, known: usize },
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Unreachable(PoolError),
    #[error(transparent)]
    ReadOnly(ReadOnly),
    #[error(transparent)]
    Database(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for OpenError {
    fn from(error: tokio_postgres::Error) -> Self {
        if error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION) {
            Self::ReadOnly(ReadOnly(Arc::new(error)))
        } else {
            Self::Database(error)
        }
    }
}

/// Creates a pool of at most `size` connections, without connecting yet.
pub(super) fn pool(target: Target, hosts: Hosts, size: usize) -> Result<Pool, OpenError> {
    // Each host may use its full timeout. The extra second is for `set_up`.
    let create_timeout = hosts.max_connect_time() + Duration::from_secs(1);
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let pool = Pool::builder(Manager::from_connect(target.config, hosts, recycling))
        .max_size(size)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(POOL_WAIT))
        .create_timeout(Some(create_timeout))
        .recycle_timeout(Some(POOL_WAIT))
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move { set_up(client).await.map_err(HookError::Backend) })
        }))
        .build()?;
    Ok(pool)
}

/// Opens the first connection of a pool.
pub(super) async fn first(pool: &Pool) -> Result<Object, OpenError> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => OpenError::Database(error),
        other => OpenError::Unreachable(other),
    })
}

/// Applies the settings of each connection.
pub(super) async fn set_up(client: &tokio_postgres::Client) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(SETTINGS).await
}

/// Rejects unsupported versions and encodings, and warns about settings that can lose acknowledged writes.
pub(super) async fn check(client: &tokio_postgres::Client) -> Result<(), OpenError> {
    // A PostgreSQL-compatible database may lack some of these settings.
    let setting = async |name: &str| -> Result<String, tokio_postgres::Error> {
        client.query_one("SELECT coalesce(current_setting($1, true), '')", &[&name]).await?.try_get(0)
    };
    if setting("server_version_num").await?.parse().is_ok_and(|version: i32| version < MIN_VERSION) {
        return Err(OpenError::Old(setting("server_version").await?));
    }
    let encoding = setting("server_encoding").await?;
    if !encoding.is_empty() && encoding != "UTF8" {
        return Err(OpenError::Encoding(encoding));
    }
    for name in ["fsync", "full_page_writes"] {
        if setting(name).await? == "off" {
            tracing::warn!("{name} is off in PostgreSQL: a crash may lose acknowledged writes");
        }
    }
    Ok(())
}
