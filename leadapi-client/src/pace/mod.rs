//! The client's own part in the rate limit (contract 8): it does not send what would be refused.

mod lane;

use std::num::NonZeroU32;

use leadapi_core::{auth::Scope, http::Operation};

pub(crate) use lane::{Lane, Place, Slot, Turn};

/// How many requests the client sends in any 60 s, all its clones together.
///
/// The default is what the contract allows to a token: 600 reads and 60 writes. So a program that has a token for itself
/// never meets a 429; one that shares it waits as the service asks.
///
/// A request counts from the moment its answer is there, and before that without an end: only then is it certain to have
/// left the service's window 60 s later, however long it was on its way.
///
/// ```
/// use leadapi_client::{Client, Pacing};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # let (service, token) = support::service();
/// // A server of one's own, with higher limits.
/// let pacing = Pacing::default().reads(6_000).writes(600);
/// let client = Client::builder("http://in-process/v1", token).pacing(pacing).in_process(service)?;
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
    /// Sends as fast as the caller asks, and waits only when the service says so.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// assert_eq!(Pacing::off(), Pacing::default().reads(0).writes(0));
    /// ```
    #[must_use]
    pub const fn off() -> Self {
        Self { reads: None, writes: None }
    }

    /// At most so many GET in any 60 s; 0 is no limit.
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

    /// At most so many POST, PATCH and DELETE in any 60 s; 0 is no limit.
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

/// Both classes of requests, which the service counts apart.
#[derive(Debug)]
pub(crate) struct Pace {
    reads: Lane,
    writes: Lane,
}

impl Pace {
    pub(crate) fn new(pacing: Pacing) -> Self {
        Self { reads: Lane::new(pacing.reads), writes: Lane::new(pacing.writes) }
    }

    pub(crate) fn lane(&self, operation: Operation) -> &Lane {
        match operation.endpoint().scope {
            Scope::Read => &self.reads,
            Scope::Write => &self.writes,
        }
    }
}
