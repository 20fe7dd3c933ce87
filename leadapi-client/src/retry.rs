//! Whether a call that failed is made again: decided by what it is, how far it got and how often it was tried.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::StatusCode;

/// How often, and after which waits, a call that failed is made again.
///
/// Made again is only what cannot be done twice by it: what was never sent, what was refused because of the rate, reads,
/// PATCH, DELETE, and creates under an idempotency key. A refusal with any other status from 400 to 499 is final, but for
/// 408, and so are 501 and 505.
///
/// Before the n-th repetition the client waits a random time of at most `first · 2ⁿ⁻¹`, and never more than `longest`,
/// so that callers who failed together do not come back together; where the answer says `Retry-After`, it waits that
/// long first. Waiting for the rate (429) is no failure and counts as no attempt.
///
/// ```
/// use std::time::Duration;
/// use leadapi_client::{Client, RetryPolicy};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # let (service, token) = support::service();
/// let patient = RetryPolicy::default().attempts(10).backoff(Duration::from_millis(100), Duration::from_secs(5));
/// let client = Client::builder("http://in-process/v1", token).retry(patient).in_process(service)?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    attempts: u32,
    first: Duration,
    longest: Duration,
}

/// Longer than this nobody waits, whatever the policy says; beyond some length, adding it to a moment would panic.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Five attempts, with waits of at most 0.2, 0.4, 0.8 and 1.6 s between them.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 5, first: Duration::from_millis(200), longest: Duration::from_secs(20) }
    }
}

impl RetryPolicy {
    /// One attempt, whatever comes of it; a 429 too is for the caller.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, id) = (support::in_process(), "lead-1".parse()?);
    /// use leadapi_client::RetryPolicy;
    ///
    /// let lead = client.leads().get(&id).retry(RetryPolicy::none()).await?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn none() -> Self {
        Self { attempts: 1, ..Self::default() }
    }

    /// At most so many attempts in all; none is taken as one.
    ///
    /// ```
    /// # use leadapi_client::RetryPolicy;
    /// assert_eq!(RetryPolicy::default().attempts(1), RetryPolicy::none());
    /// ```
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = if attempts == 0 { 1 } else { attempts };
        self
    }

    /// The most that is waited before the first repetition, and before any.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::RetryPolicy;
    /// let quick = RetryPolicy::default().backoff(Duration::from_millis(20), Duration::from_secs(1));
    /// # assert_ne!(quick, RetryPolicy::default());
    /// ```
    #[must_use]
    pub const fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }
}

/// How an attempt failed, as far as repeating it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing of it has left.
    NotSent,
    /// It may have been done; the answer was lost or is none of the contract's.
    Lost,
    /// An answer that is not the operation's success.
    Status(StatusCode),
    /// It breaks a rule, and was not even tried.
    Refused,
}

/// What follows from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The caller is told.
    Stop,
    /// Again, when the rate allows it.
    AfterTheRate,
    /// Again, after a random part of this.
    Within(Duration),
}

impl RetryPolicy {
    /// Decides on a failure of the n-th attempt (from 1) at something that may or may not be repeated in doubt.
    pub(crate) fn next(&self, repeatable: bool, failure: Failure, attempt: u32) -> Next {
        if failure == Failure::Status(StatusCode::TOO_MANY_REQUESTS) {
            return if self.attempts > 1 { Next::AfterTheRate } else { Next::Stop };
        }
        if attempt < self.attempts && failure.may_pass() && (repeatable || failure == Failure::NotSent) {
            Next::Within(self.ceiling(attempt))
        } else {
            Next::Stop
        }
    }

    /// The most that is waited after the n-th attempt (from 1).
    fn ceiling(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        self.first.saturating_mul(doubled).min(self.longest).min(LONGEST)
    }
}

impl Failure {
    /// Whether another time may end otherwise.
    pub(crate) fn may_pass(self) -> bool {
        match self {
            Self::NotSent | Self::Lost => true,
            Self::Refused => false,
            Self::Status(status) => {
                let final_ = [StatusCode::NOT_IMPLEMENTED, StatusCode::HTTP_VERSION_NOT_SUPPORTED].contains(&status);
                let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
                // A success that is not the operation's own comes from something between us and the service.
                passing || status.is_success() || (status.is_server_error() && !final_)
            }
        }
    }
}

/// A random time from none to this.
pub(crate) fn full_jitter(most: Duration) -> Duration {
    // Each RandomState has other keys, so what it makes of nothing is random enough to spread callers.
    let random = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or(u32::MAX);
    most.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// What repetitions may cost, so that a fleet of callers does not melt a service that has trouble already: a bucket as in
/// the AWS SDKs, shared by all clones of a client.
///
/// A repetition takes out 5, one after a timeout 10; when it succeeds it puts back what it took, and a success at the
/// first attempt puts in 1. Five more come back each second, because without that a bucket that is empty stays empty
/// where every call needs a repetition.
#[derive(Debug)]
pub(crate) struct Budget(Mutex<Bucket>);

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    at: Duration,
}

const CAPACITY: f64 = 500.0;
const PER_SECOND: f64 = 5.0;
/// What a first attempt that succeeds puts in.
pub(crate) const REWARD: f64 = 1.0;
/// What a repetition costs.
pub(crate) const COST: f64 = 5.0;
/// What a repetition costs after a timeout, which has cost the service more.
pub(crate) const COST_AFTER_TIMEOUT: f64 = 10.0;

impl Default for Budget {
    fn default() -> Self {
        Self(Mutex::new(Bucket { tokens: CAPACITY, at: Duration::ZERO }))
    }
}

impl Budget {
    /// Whether it is there.
    pub(crate) fn affords(&self, cost: f64, now: Duration) -> bool {
        self.filled(now).tokens >= cost
    }

    /// Takes it out, if it is there.
    pub(crate) fn take(&self, cost: f64, now: Duration) -> bool {
        let mut bucket = self.filled(now);
        let affordable = bucket.tokens >= cost;
        if affordable {
            bucket.tokens -= cost;
        }
        affordable
    }

    /// The bucket with what has come back by now.
    fn filled(&self, now: Duration) -> MutexGuard<'_, Bucket> {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = now.saturating_sub(bucket.at);
        bucket.tokens = passed.as_secs_f64().mul_add(PER_SECOND, bucket.tokens).min(CAPACITY);
        bucket.at = bucket.at.max(now);
        bucket
    }

    pub(crate) fn put(&self, tokens: f64) {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.tokens = (bucket.tokens + tokens).min(CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_is_repeated() {
        let policy = RetryPolicy::default();
        let status = |status| Failure::Status(StatusCode::from_u16(status).unwrap());
        let again = |repeatable, failure| policy.next(repeatable, failure, 1) != Next::Stop;
        for repeatable in [true, false] {
            assert!(again(repeatable, Failure::NotSent));
            assert!(!again(repeatable, Failure::Refused));
            assert_eq!(policy.next(repeatable, status(429), 99), Next::AfterTheRate);
            for code in [200, 201, 204, 408, 500, 502, 503, 504, 520, 599] {
                assert_eq!(again(repeatable, status(code)), repeatable, "{code}");
            }
            assert_eq!(again(repeatable, Failure::Lost), repeatable);
            for code in [301, 302, 307, 400, 401, 403, 404, 405, 409, 413, 415, 418, 422, 431, 451, 501, 505, 600, 999]
            {
                assert!(!again(repeatable, status(code)), "{code}");
            }
        }
    }

    #[test]
    fn attempts_end() {
        let policy = RetryPolicy::default().attempts(3);
        let next = |attempt| policy.next(true, Failure::Lost, attempt);
        assert_eq!(next(1), Next::Within(Duration::from_millis(200)));
        assert_eq!(next(2), Next::Within(Duration::from_millis(400)));
        assert_eq!((next(3), next(4)), (Next::Stop, Next::Stop));
        let none = RetryPolicy::none();
        for failure in [Failure::NotSent, Failure::Lost, Failure::Status(StatusCode::TOO_MANY_REQUESTS)] {
            assert_eq!(none.next(true, failure, 1), Next::Stop);
        }
        assert_eq!(RetryPolicy::default().attempts(u32::MAX).ceiling(u32::MAX - 1), 20 * SECOND);
        let endless = RetryPolicy::default().backoff(Duration::MAX, Duration::MAX);
        assert_eq!(endless.ceiling(3), LONGEST);
        assert!(full_jitter(LONGEST) <= LONGEST);
    }

    #[test]
    fn jitter_fills_its_range() {
        let mut parts: Vec<Duration> = (0..1_000).map(|_| full_jitter(SECOND)).collect();
        parts.sort_unstable();
        assert!(parts[0] < SECOND / 20 && parts[999] > SECOND * 19 / 20 && parts[999] <= SECOND);
        assert!((SECOND * 4 / 10..SECOND * 6 / 10).contains(&parts[500]), "{:?}", parts[500]);
    }

    #[test]
    fn an_empty_budget_fills_again() {
        let budget = Budget::default();
        let afford = |now| std::iter::repeat_with(|| budget.take(COST, now)).take_while(|took| *took).count();
        assert_eq!(afford(Duration::ZERO), 100);
        assert_eq!(afford(Duration::ZERO), 0);
        assert_eq!(afford(10 * SECOND), 10);
        budget.put(REWARD * 5.0);
        assert_eq!(afford(10 * SECOND), 1);
        assert_eq!(afford(10_000 * SECOND), 100, "never more than it holds");
    }
}
