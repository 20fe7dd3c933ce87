//! The state that all clones of a client share, and the options of calls.

use std::time::Duration;

use leadapi_model::http::Operation;

use crate::{
    rate_limit::RateLimiters,
    request::Origin,
    retry::{RetryBudget, RetryPolicy},
    timer::Timer,
    transport::Transport,
};

/// The state that all clones of a client share.
pub(crate) struct ClientContext {
    pub(crate) origin: Origin,
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) timer: Box<dyn Timer>,
    pub(crate) rate_limiters: RateLimiters,
    pub(crate) budget: RetryBudget,
    /// The default call options.
    pub(crate) options: CallOptions,
    pub(crate) on_wait: Option<OnWait>,
}

/// The callback that receives each wait.
pub(crate) type OnWait = Box<dyn Fn(&Wait) + Send + Sync>;

/// The options of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallOptions {
    pub(crate) retry: RetryPolicy,
    /// The timeout for the whole call, including all waits.
    pub(crate) timeout: Option<Duration>,
    /// The timeout for each attempt, from connecting to the last byte of the response.
    pub(crate) attempt_timeout: Option<Duration>,
    /// The longest `Retry-After` that the client honors.
    pub(crate) max_retry_after: Duration,
}

/// The reason for a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// The client-side rate limit ([`Pacing`](crate::Pacing)).
    Pacing,
    /// The service's rate limit, after a response with 429.
    RateLimited,
    /// The backoff after a failed attempt.
    Backoff,
}

/// A wait during a call. [`ClientBuilder::on_wait`](crate::ClientBuilder::on_wait) receives it when the wait begins.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Wait {
    /// The operation of the call.
    pub operation: Operation,
    /// The reason for the wait.
    pub reason: WaitReason,
    /// The length of the wait.
    pub duration: Duration,
    /// The number of failed attempts so far. A 429 does not count as a failure.
    pub failed_attempts: u32,
}
