//! A rate limiter for one process, with the exact sliding window of contract D9.
//!
//! The limiter keeps a log of admissions, because the alternatives are not exact. With a limit of 600 requests per
//! minute, GCRA can admit 1199 requests within 60 seconds, and fixed windows can admit 1200. A sliding window counter,
//! which interpolates between the counts of two fixed windows, can refuse callers that stay within the limit. With a
//! log, the limiter never exceeds the limit and never refuses a request within it. The log takes four bytes for each
//! admitted request in the last minute.

mod log;

use std::{
    fmt,
    hash::BuildHasher,
    num::NonZeroU32,
    sync::PoisonError,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use foldhash::{HashMap, fast::RandomState};

pub use self::log::AdmissionLog;
use crate::{
    BoxError,
    id::TokenId,
    port::{Admission, Class, RateLimiter},
    sync::{Mutex, MutexGuard},
};

/// The number of shards: enough that two threads rarely contend for the same lock.
const SHARDS: usize = 64;

/// The maximum number of requests per token in any 60 s (contract 8).
///
/// ```
/// use leadapi_core::memory::Limits;
///
/// assert_eq!((Limits::default().reads.get(), Limits::default().writes.get()), (600, 60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The limit for GET and HEAD.
    pub reads: NonZeroU32,
    /// The limit for POST, PATCH and DELETE.
    pub writes: NonZeroU32,
}

impl Limits {
    /// Creates limits for reads and writes.
    ///
    /// ```
    /// # use std::num::NonZeroU32;
    /// # use leadapi_core::memory::Limits;
    /// let one_write = Limits::new(Limits::default().reads, NonZeroU32::MIN);
    /// assert_eq!(one_write.writes.get(), 1);
    /// ```
    pub const fn new(reads: NonZeroU32, writes: NonZeroU32) -> Self {
        Self { reads, writes }
    }

    /// Returns the limit of a class.
    ///
    /// ```
    /// # use leadapi_core::{memory::Limits, port::Class};
    /// assert_eq!(Limits::default().of(Class::Write).get(), 60);
    /// ```
    pub const fn of(self, class: Class) -> NonZeroU32 {
        match class {
            Class::Read => self.reads,
            Class::Write => self.writes,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        const READS: NonZeroU32 = NonZeroU32::new(600).unwrap();
        const WRITES: NonZeroU32 = NonZeroU32::new(60).unwrap();
        Self { reads: READS, writes: WRITES }
    }
}

/// A rate limiter with an exact sliding window for each token and class (contract D9). No half-open interval of 60 s
/// contains more admitted requests than the limit, and no request within the limit is refused.
///
/// Times are rounded down to whole microseconds. With the default limits, a token that exhausts both limits takes less
/// than 3 KB of memory. Once a token has been idle for a minute, a later request to the same shard drops the token's
/// entry.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use leadapi_core::{id::TokenId, memory::{Limits, ManualClock, SlidingWindow}, port::{Admission, Class}};
///
/// let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse()?));
/// let limiter = SlidingWindow::with_time(Limits::default(), { let clock = clock.clone(); move || clock.elapsed() });
/// let token = TokenId::parse("t1")?;
/// for _ in 0..60 {
///     assert_eq!(limiter.check(&token, Class::Write), Admission::Admitted);
/// }
/// let retry_after = Duration::from_secs(60);
/// assert_eq!(limiter.check(&token, Class::Write), Admission::Refused { retry_after });
/// clock.advance(retry_after);
/// assert_eq!(limiter.check(&token, Class::Write), Admission::Admitted);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SlidingWindow {
    limits: Limits,
    time: Box<dyn Fn() -> Duration + Send + Sync>,
    hasher: RandomState,
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Default)]
struct Shard {
    logs: HashMap<TokenId, Logs>,
    swept: Duration,
}

#[derive(Default)]
struct Logs {
    reads: AdmissionLog,
    writes: AdmissionLog,
}

impl SlidingWindow {
    /// Creates a limiter that uses the system's monotonic clock.
    pub fn new(limits: Limits) -> Self {
        let start = Instant::now();
        Self::with_time(limits, move || start.elapsed())
    }

    /// Creates a limiter with a custom time source, which can count from any instant but must never step backwards.
    pub fn with_time(limits: Limits, time: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { limits, time: Box::new(time), hasher: RandomState::default(), shards }
    }

    /// Admits and counts a request, or refuses it.
    pub fn check(&self, token: &TokenId, class: Class) -> Admission {
        let at = usize::try_from(self.hasher.hash_one(token) % SHARDS as u64).ok();
        let Some(shard) = at.and_then(|at| self.shards.get(at)) else { return Admission::Admitted };
        let mut shard = lock(shard);
        // The time is read under the lock, so admissions are logged in chronological order.
        let now = (self.time)();
        shard.sweep(now);
        let logs = shard.logs.entry(token.clone()).or_default();
        let log = match class {
            Class::Read => &mut logs.reads,
            Class::Write => &mut logs.writes,
        };
        match log.admit(now, self.limits.of(class).get()) {
            Ok(()) => Admission::Admitted,
            Err(retry_after) => Admission::Refused { retry_after },
        }
    }

    /// Returns the number of tokens that the limiter currently tracks, for a host's metrics.
    ///
    /// ```
    /// # use leadapi_core::memory::{Limits, SlidingWindow};
    /// assert_eq!(SlidingWindow::new(Limits::default()).tokens(), 0);
    /// ```
    pub fn tokens(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).logs.len()).sum()
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    // Only the time source can panic while the lock is held, and it runs before the shard changes. The data behind a
    // poisoned lock is therefore consistent.
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    /// Drops the tokens that have been idle for a whole window, at most once per window.
    fn sweep(&mut self, now: Duration) {
        if now.saturating_sub(self.swept) < AdmissionLog::WINDOW {
            return;
        }
        self.swept = now;
        self.logs.retain(|_, logs| !(logs.reads.is_idle(now) && logs.writes.is_idle(now)));
        self.logs.shrink_to(4 * self.logs.len());
    }
}

impl fmt::Debug for SlidingWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlidingWindow").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[async_trait]
impl RateLimiter for SlidingWindow {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        Ok(self.check(token, class))
    }
}

#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(test)]
mod tests;
