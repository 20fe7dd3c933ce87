//! The client-side rate limit (contract 8). It delays requests that the service would reject with 429.

mod limiter;

use std::num::NonZeroU32;

use leadapi_model::{auth::Scope, http::Operation};

pub(crate) use limiter::{Acquire, Permit, RateLimiter, Ticket};

/// The maximum number of requests that a client and all its clones send in any 60 s.
///
/// The default is the contract's limit for a token: 600 reads and 60 writes. A client that is the only user of its
/// token therefore receives a 429 only in rare cases, for example shortly after its program was restarted. After a 429,
/// the client waits for as long as the service tells it to.
///
/// A request counts towards the limit until 60 s after its attempt ends, because the client cannot know when during the
/// attempt the service counted it.
///
/// ```
/// use leadapi_client::{Client, Pacing};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # let (service, token) = support::service();
/// // For a server with higher limits.
/// let pacing = Pacing::default().reads(6_000).writes(600);
/// let client = Client::builder("http://in-process/v1", token).pacing(pacing).in_process(service).build()?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    reads: Option<NonZeroU32>,
    writes: Option<NonZeroU32>,
}

impl Default for Pacing {
    fn default() -> Self {
        Self::off().reads(600).writes(60)
    }
}

impl Pacing {
    /// Disables the client-side rate limit. The client then holds back requests only after a 429.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// assert_eq!(Pacing::off(), Pacing::default().reads(0).writes(0));
    /// ```
    #[must_use]
    pub const fn off() -> Self {
        Self { reads: None, writes: None }
    }

    /// Sets the maximum number of GET requests in any 60 s; 0 means no limit.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// let half = Pacing::default().reads(300);
    /// # assert_ne!(half, Pacing::default());
    /// ```
    #[must_use]
    pub const fn reads(mut self, reads: u32) -> Self {
        self.reads = NonZeroU32::new(reads);
        self
    }

    /// Sets the maximum number of POST, PATCH and DELETE requests in any 60 s; 0 means no limit.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// let half = Pacing::default().writes(30);
    /// # assert_ne!(half, Pacing::default());
    /// ```
    #[must_use]
    pub const fn writes(mut self, writes: u32) -> Self {
        self.writes = NonZeroU32::new(writes);
        self
    }
}

/// One rate limiter for reads and another for writes, because the service counts them separately.
#[derive(Debug)]
pub(crate) struct RateLimiters {
    reads: RateLimiter,
    writes: RateLimiter,
}

impl RateLimiters {
    pub(crate) fn new(pacing: Pacing) -> Self {
        Self { reads: RateLimiter::new(pacing.reads), writes: RateLimiter::new(pacing.writes) }
    }

    pub(crate) fn of(&self, operation: Operation) -> &RateLimiter {
        match operation.endpoint().scope {
            Scope::Read => &self.reads,
            Scope::Write => &self.writes,
        }
    }
}
