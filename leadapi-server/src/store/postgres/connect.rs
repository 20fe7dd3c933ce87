//! Builds a connection pool with timeouts from a parsed URL.

use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};

use super::{
    hosts::Hosts,
    tls::TlsError,
    url::{InvalidUrl, Target},
};

/// The maximum time that a request waits for a connection from the pool.
pub(super) const POOL_WAIT: Duration = Duration::from_secs(1);
/// The oldest supported PostgreSQL version, in the format of `server_version_num`.
const MIN_VERSION: i32 = 150_000;

/// The settings of each connection. The timeouts are in milliseconds.
const LIMITS: &str = "SET statement_timeout = 5000; SET lock_timeout = 2000; \
    SET idle_in_transaction_session_timeout = 5000; SET client_min_messages = warning";

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
    #[error("the schema version is {found}, but this binary supports only up to {known}: use a newer binary")]
    Newer { found: i32, known: usize },
    #[error(transparent)]
    Unreachable(deadpool_postgres::PoolError),
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
}

/// Creates a pool of at most `size` connections, without connecting yet.
pub(super) fn pool(target: Target, hosts: Hosts, size: usize) -> Result<Pool, OpenError> {
    // Each host may use its full timeout. The extra second is for setting `LIMITS`.
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

/// Applies the settings of each connection.
pub(super) async fn set_up(client: &tokio_postgres::Client) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(LIMITS).await
}

/// Rejects unsupported versions, and warns about settings that can lose acknowledged writes.
pub(super) async fn check(client: &tokio_postgres::Client) -> Result<(), OpenError> {
    // A PostgreSQL-compatible database may lack some of these settings.
    let setting = async |name: &str| -> Result<String, tokio_postgres::Error> {
        client.query_one("SELECT coalesce(current_setting($1, true), '')", &[&name]).await?.try_get(0)
    };
    if setting("server_version_num").await?.parse().is_ok_and(|version: i32| version < MIN_VERSION) {
        return Err(OpenError::Old(setting("server_version").await?));
    }
    for name in ["fsync", "synchronous_commit", "full_page_writes"] {
        if setting(name).await? == "off" {
            tracing::warn!("{name} is off in PostgreSQL: a crash may lose acknowledged writes");
        }
    }
    Ok(())
}
