//! The rate limiter for the servers that share a store.

use leadapi_core::{
    port::RateLimiter,
    rate_limit::{Limits, SlidingWindow},
};
use leadapi_limiter::ClusterLimiter;

use super::{Database, SqlStore, SqlStoreError};

impl SqlStore {
    /// Creates a rate limiter for all servers that share this store (contract D9). Each server must call this function
    /// once.
    ///
    /// On PostgreSQL, the limits apply to all servers together. Each server holds a share of each limit, and claims
    /// more permits when its share is used up. After a server has stopped, its share stays unavailable for about 70 s,
    /// so requests within the limit may be refused. The limiter starts tasks that end when it is dropped.
    ///
    /// A SQLite store has one server, so its limiter is a [`SlidingWindow`].
    ///
    /// # Errors
    ///
    /// Returns an error if PostgreSQL cannot be reached.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn rate_limiter(&self, limits: Limits) -> Result<Box<dyn RateLimiter>, SqlStoreError> {
        Ok(match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => Box::new(SlidingWindow::new(limits)),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => {
                let limiter = ClusterLimiter::start(limits, postgres.clone()).await;
                Box::new(limiter.map_err(SqlStoreError::Failed)?)
            }
        })
    }
}
