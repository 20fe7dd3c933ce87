//! The retry policy and the retry budget. The policy is a pure function of the call, its failure and the number of
//! attempts.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::StatusCode;

/// The retry policy: how many times the client retries a failed call, and how long it waits before each retry.
///
/// The client retries only requests that are safe to retry: requests that were never sent or were rate limited, reads,
/// PATCH, DELETE, and creates with an idempotency key. Redirects, 501, 505, and statuses from 400 to 499 except 408 and
/// 429 are final.
///
/// Before the n-th retry, the client waits a random time up to `base · 2ⁿ⁻¹`, and at most `max`. This full jitter keeps
/// callers that failed together from retrying together. If the response has a `Retry-After`, the client first waits for
/// that long. A 429 is not a failure and does not count towards the maximum number of attempts.
///
/// ```
/// use std::time::Duration;
/// use leadapi_client::{Client, RetryPolicy};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # let (service, token) = support::service();
/// let patient = RetryPolicy::default().attempts(10).backoff(Duration::from_millis(100), Duration::from_secs(5));
/// let client = Client::builder("http://in-process/v1", token).retry(patient).in_process(service).build()?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    attempts: u32,
    base: Duration,
    max: Duration,
}

/// The maximum wait, regardless of the policy. Without a maximum, adding the wait to a time could overflow.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Five attempts, with waits of at most 0.2, 0.4, 0.8 and 1.6 s between them.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 5, base: Duration::from_millis(200), max: Duration::from_secs(20) }
    }
}

impl RetryPolicy {
    /// Returns a policy without retries. Even a 429 is returned to the caller.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, id) = (support::in_process(), "lead-1".parse()?);
    /// use leadapi_client::RetryPolicy;
    ///
    /// let lead = client.leads().get(&id).retry(RetryPolicy::none()).await?;
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn none() -> Self {
        Self { attempts: 1, ..Self::default() }
    }

    /// Sets the maximum number of attempts; 0 counts as 1.
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

    /// Sets the maximum wait before the first retry (`base`) and before any retry (`max`).
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::RetryPolicy;
    /// let quick = RetryPolicy::default().backoff(Duration::from_millis(20), Duration::from_secs(1));
    /// # assert_ne!(quick, RetryPolicy::default());
    /// ```
    #[must_use]
    pub const fn backoff(mut self, base: Duration, max: Duration) -> Self {
        self.base = base;
        self.max = max;
        self
    }
}

/// The kinds of failure that the retry policy distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No byte of the request was sent.
    NotSent,
    /// The response was lost, so the service may have executed the request.
    Lost,
    /// The response is not a valid success response for the operation.
    Status(StatusCode),
    /// A retry would fail in the same way.
    Final,
}

/// The retry policy's decision about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// The call fails.
    GiveUp,
    /// The client retries when the rate limit allows it.
    AfterRateLimit,
    /// The client retries after a random wait of at most this duration.
    Backoff(Duration),
}

impl RetryPolicy {
    /// Decides whether to retry after the n-th attempt has failed, counting from 1. A call that is not `idempotent` is
    /// retried only if it was not sent or was rate limited.
    pub(crate) fn decide(&self, idempotent: bool, failure: Failure, attempt: u32) -> RetryDecision {
        if failure == Failure::Status(StatusCode::TOO_MANY_REQUESTS) {
            return if self.attempts > 1 { RetryDecision::AfterRateLimit } else { RetryDecision::GiveUp };
        }
        if attempt < self.attempts && failure.is_transient() && (idempotent || failure == Failure::NotSent) {
            RetryDecision::Backoff(self.max_wait(attempt))
        } else {
            RetryDecision::GiveUp
        }
    }

    /// Returns the maximum wait after the n-th attempt, counting from 1.
    fn max_wait(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        self.base.saturating_mul(doubled).min(self.max).min(MAX_WAIT)
    }
}

impl Failure {
    /// Returns whether a retry may succeed.
    pub(crate) fn is_transient(self) -> bool {
        match self {
            Self::NotSent | Self::Lost => true,
            Self::Final => false,
            Self::Status(status) => {
                let is_final = [StatusCode::NOT_IMPLEMENTED, StatusCode::HTTP_VERSION_NOT_SUPPORTED].contains(&status);
                let is_transient = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
                // A success status is a failure only if the response violates the contract. Such a response probably
                // comes from a proxy.
                is_transient || status.is_success() || (status.is_server_error() && !is_final)
            }
        }
    }
}

/// Returns a random duration from zero to `max`.
pub(crate) fn full_jitter(max: Duration) -> Duration {
    // Each `RandomState` has different keys, so the hash of a constant is random enough for jitter.
    let random = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or(u32::MAX);
    max.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// The retry budget that a client shares with its clones. The budget keeps retries from overloading a failing service.
/// It is implemented as a token bucket, as in the AWS SDKs.
///
/// A retry costs 5 tokens, or 10 after a timeout. If the retry succeeds, its tokens are refunded. A call that succeeds
/// without a failed attempt adds 1 token. The bucket also refills by 5 tokens per second. Otherwise, it would stay
/// empty if every call needed a retry.
#[derive(Debug)]
pub(crate) struct RetryBudget(Mutex<Bucket>);

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    updated_at: Duration,
}

const CAPACITY: f64 = 500.0;
const REFILL_PER_SECOND: f64 = 5.0;
/// The number of tokens that a call without a failed attempt adds.
pub(crate) const REWARD: f64 = 1.0;
/// The cost of a retry.
pub(crate) const COST: f64 = 5.0;
/// The cost of a retry after a timeout. It is higher because a slow attempt costs the service more.
pub(crate) const COST_AFTER_TIMEOUT: f64 = 10.0;

impl Default for RetryBudget {
    fn default() -> Self {
        Self(Mutex::new(Bucket { tokens: CAPACITY, updated_at: Duration::ZERO }))
    }
}

impl RetryBudget {
    /// Returns whether the budget covers this cost.
    pub(crate) fn can_afford(&self, cost: f64, now: Duration) -> bool {
        self.refilled(now).tokens >= cost
    }

    /// Withdraws this cost, if the budget covers it. Returns whether the cost was withdrawn.
    pub(crate) fn withdraw(&self, cost: f64, now: Duration) -> bool {
        let mut bucket = self.refilled(now);
        let affordable = bucket.tokens >= cost;
        if affordable {
            bucket.tokens -= cost;
        }
        affordable
    }

    /// Locks the bucket and refills it.
    fn refilled(&self, now: Duration) -> MutexGuard<'_, Bucket> {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = now.saturating_sub(bucket.updated_at);
        bucket.tokens = elapsed.as_secs_f64().mul_add(REFILL_PER_SECOND, bucket.tokens).min(CAPACITY);
        bucket.updated_at = bucket.updated_at.max(now);
        bucket
    }

    pub(crate) fn deposit(&self, tokens: f64) {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.tokens = (bucket.tokens + tokens).min(CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn transient_failures_are_retried() {
        let policy = RetryPolicy::default();
        let status = |status| Failure::Status(StatusCode::from_u16(status).unwrap());
        let retries = |idempotent, failure| policy.decide(idempotent, failure, 1) != RetryDecision::GiveUp;
        for idempotent in [true, false] {
            assert!(retries(idempotent, Failure::NotSent));
            assert!(!retries(idempotent, Failure::Final));
            assert_eq!(policy.decide(idempotent, status(429), 99), RetryDecision::AfterRateLimit);
            for code in [200, 201, 204, 408, 500, 502, 503, 504, 520, 599] {
                assert_eq!(retries(idempotent, status(code)), idempotent, "{code}");
            }
            assert_eq!(retries(idempotent, Failure::Lost), idempotent);
            for code in [301, 302, 307, 400, 401, 403, 404, 405, 409, 413, 415, 418, 422, 431, 451, 501, 505, 600, 999]
            {
                assert!(!retries(idempotent, status(code)), "{code}");
            }
        }
    }

    #[test]
    fn retries_end_after_the_last_attempt() {
        let policy = RetryPolicy::default().attempts(3);
        let next = |attempt| policy.decide(true, Failure::Lost, attempt);
        assert_eq!(next(1), RetryDecision::Backoff(Duration::from_millis(200)));
        assert_eq!(next(2), RetryDecision::Backoff(Duration::from_millis(400)));
        assert_eq!((next(3), next(4)), (RetryDecision::GiveUp, RetryDecision::GiveUp));
        let none = RetryPolicy::none();
        for failure in [Failure::NotSent, Failure::Lost, Failure::Status(StatusCode::TOO_MANY_REQUESTS)] {
            assert_eq!(none.decide(true, failure, 1), RetryDecision::GiveUp);
        }
        assert_eq!(RetryPolicy::default().attempts(u32::MAX).max_wait(u32::MAX - 1), 20 * SECOND);
        let endless = RetryPolicy::default().backoff(Duration::MAX, Duration::MAX);
        assert_eq!((endless.max_wait(3), MAX_WAIT), (MAX_WAIT, 86_400 * SECOND));
        assert!(full_jitter(MAX_WAIT) <= MAX_WAIT);
    }

    #[test]
    fn full_jitter_covers_its_range() {
        let mut parts: Vec<Duration> = (0..1_000).map(|_| full_jitter(SECOND)).collect();
        parts.sort_unstable();
        assert!(parts[0] < SECOND / 20 && parts[999] > SECOND * 19 / 20 && parts[999] <= SECOND);
        assert!((SECOND * 4 / 10..SECOND * 6 / 10).contains(&parts[500]), "{:?}", parts[500]);
    }

    #[test]
    fn an_empty_budget_refills() {
        let budget = RetryBudget::default();
        let afford =
            |now| std::iter::repeat_with(|| budget.withdraw(COST, now)).take_while(|withdrawn| *withdrawn).count();
        assert_eq!(afford(Duration::ZERO), 100);
        assert_eq!(afford(Duration::ZERO), 0);
        assert_eq!(afford(10 * SECOND), 10);
        budget.deposit(REWARD * 5.0);
        assert_eq!(afford(10 * SECOND), 1);
        assert_eq!(afford(10_000 * SECOND), 100, "never more than the capacity");
    }
}
