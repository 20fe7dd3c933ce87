//! What all clones of a client share, and what a call may be told.

use std::time::Duration;

use leadapi_core::http::Operation;

use crate::{
    rate_limit::RateLimiters,
    request::Origin,
    retry::{Budget, RetryPolicy},
    timer::Timer,
    transport::Transport,
};

/// What all clones of a client share.
pub(crate) struct Shared {
    pub(crate) origin: Origin,
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) timer: Box<dyn Timer>,
    pub(crate) rate_limiters: RateLimiters,
    pub(crate) budget: Budget,
    /// What a call is made with that says nothing else.
    pub(crate) options: Options,
    pub(crate) on_wait: Option<OnWait>,
}

/// Is told of waits.
pub(crate) type OnWait = Box<dyn Fn(&Wait) + Send + Sync>;

/// What a call may be told beside what it asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) retry: RetryPolicy,
    /// The whole call, with all its waits.
    pub(crate) timeout: Option<Duration>,
    /// One attempt, from sending to the last byte of the answer.
    pub(crate) attempt_timeout: Option<Duration>,
    /// The longest `Retry-After` that is waited for.
    pub(crate) max_retry_after: Duration,
}

/// Why a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// The client-side rate limit ([`Pacing`](crate::Pacing)).
    Pacing,
    /// The service has refused a request because of the rate, and said for how long.
    RateLimited,
    /// An attempt has failed, and the next one comes after a while.
    Backoff,
}

/// A wait that begins.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Wait {
    /// What is waiting.
    pub operation: Operation,
    /// Why.
    pub reason: WaitReason,
    /// How long.
    pub duration: Duration,
    /// How many attempts have failed so far; waits for the rate are none.
    pub failed_attempts: u32,
}
