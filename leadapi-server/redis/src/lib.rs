#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod address;
mod admission;
mod connect;
mod connection;
mod error;
mod failure;
mod url;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::TokenId,
    port::{Admission, Class, RateLimiter},
    rate_limit::{Limits, SlidingWindow},
};
use tracing::warn;

use self::{connect::connect, connection::Connection};
pub use self::{
    error::RedisLimiterError,
    failure::LimiterFailure,
    url::{InvalidRedisUrl, RedisUrl},
};

/// The default time limit for a request to Redis.
const TIMEOUT: Duration = Duration::from_millis(50);

/// A limiter whose limits apply to all servers that share a Redis or Valkey server (contract D9).
#[derive(Clone)]
pub struct RedisLimiter(Arc<Inner>);

struct Inner {
    limits: Limits,
    connection: Connection,
    timeout: Duration,
    /// The window that the limiter applies while Redis does not respond. `None` if the limiter fails closed.
    fallback: Option<SlidingWindow>,
}

/// A builder for a [`RedisLimiter`].
#[derive(Debug, Clone)]
pub struct RedisLimiterBuilder {
    url: RedisUrl,
    limits: Limits,
    timeout: Duration,
    failure: LimiterFailure,
}

impl RedisLimiter {
    /// Returns a builder for a limiter with these limits.
    pub const fn builder(url: RedisUrl, limits: Limits) -> RedisLimiterBuilder {
        RedisLimiterBuilder { url, limits, timeout: TIMEOUT, failure: LimiterFailure::Closed }
    }

    /// Checks that the limiter can handle requests.
    ///
    /// # Errors
    ///
    /// Returns an error if Redis fails and the limiter [fails closed](LimiterFailure::Closed).
    pub async fn health(&self) -> Result<(), RedisLimiterError> {
        if self.0.fallback.is_some() { Ok(()) } else { self.0.connection.get().await.map(drop) }
    }
}

impl RedisLimiterBuilder {
    /// Sets the maximum time that a request waits for Redis (default 50 ms).
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the policy for requests while Redis does not respond (default [`LimiterFailure::Closed`]).
    #[must_use]
    pub const fn failure(mut self, failure: LimiterFailure) -> Self {
        self.failure = failure;
        self
    }

    /// Connects to Redis, and starts a task that maintains the connection. The task ends when the limiter is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the limiter fails closed and Redis cannot be reached or does not accept writes. Also returns
    /// an error if a limit is lower than the number of servers that share it.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub async fn start(self) -> Result<RedisLimiter, RedisLimiterError> {
        let Self { url, limits, timeout, failure } = self;
        let fallback = failure.local_limits(limits)?.map(SlidingWindow::new);
        let first = connect(&url).await;
        match &first {
            Err(error) if fallback.is_some() => warn!(redis = %url, %error, "the rate limiter cannot use Redis"),
            Err(error) => return Err(error.clone()),
            Ok(_) => {}
        }
        let connection = Connection::start(url, first);
        Ok(RedisLimiter(Arc::new(Inner { limits, connection, timeout, fallback })))
    }
}

#[async_trait]
impl RateLimiter for RedisLimiter {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        let Inner { limits, connection, timeout, fallback } = &*self.0;
        let admitted = connection.admit(&admission::key(token, class), limits.of(class).get(), *timeout).await;
        match (admitted, fallback) {
            (Ok(admission), _) => Ok(admission),
            (Err(_), Some(window)) => Ok(window.check(token, class)),
            (Err(error), None) => Err(error.into()),
        }
    }
}

impl fmt::Debug for RedisLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLimiter").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}
