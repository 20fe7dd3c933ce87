//! A rate limit per key, for example on the failed sign-ins from an address, or on the log lines that an address
//! causes.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Up to this number of keys, the map is not swept, because it uses little memory.
const FEW: usize = 64;
/// The maximum number of keys. Above it, the events of new keys are not counted.
const MAX_KEYS: usize = 65_536;

/// A leaky bucket per key.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use leadapi_access::KeyedRate;
///
/// let rate = KeyedRate::new(2, Duration::from_secs(60));
/// assert!(rate.admit("a") && rate.admit("a") && !rate.admit("a") && rate.admit("b"));
/// # });
/// ```
///
/// Keys whose bucket is empty are removed.
#[derive(Debug)]
pub struct KeyedRate<K> {
    /// The time that one event adds.
    interval: Duration,
    burst: Duration,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    /// The times at which the buckets will be empty.
    empty_at: HashMap<K, Instant>,
    /// The number of keys after the last sweep.
    left: usize,
}

impl<K: Hash + Eq> KeyedRate<K> {
    /// Creates a limit that allows each key `burst` events at once, and one per `interval` in the long run.
    pub fn new(burst: u32, interval: Duration) -> Self {
        let buckets = Mutex::new(Buckets { empty_at: HashMap::new(), left: 0 });
        Self { interval, burst: interval * burst.saturating_sub(1), buckets }
    }

    /// Returns the time until the key is within its limit again, or zero.
    pub fn wait(&self, key: &K) -> Duration {
        self.lock().wait(key, self.burst, Instant::now())
    }

    /// Counts an event, even if the key is above its limit.
    pub fn count(&self, key: K) {
        self.lock().count(key, self.interval, Instant::now());
    }

    /// Counts an event if the key is within its limit. Returns whether the event was counted.
    pub fn admit(&self, key: K) -> bool {
        let (mut buckets, now) = (self.lock(), Instant::now());
        let is_admitted = buckets.wait(&key, self.burst, now).is_zero();
        if is_admitted {
            buckets.count(key, self.interval, now);
        }
        is_admitted
    }

    fn lock(&self) -> MutexGuard<'_, Buckets<K>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq> Buckets<K> {
    fn wait(&self, key: &K, burst: Duration, now: Instant) -> Duration {
        let full = self.empty_at.get(key).map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        full.saturating_sub(burst)
    }

    fn count(&mut self, key: K, interval: Duration, now: Instant) {
        if self.empty_at.len() > FEW.max(self.left * 2).min(MAX_KEYS) {
            self.empty_at.retain(|_, at| *at > now);
            self.left = self.empty_at.len();
        }
        if self.empty_at.len() <= MAX_KEYS || self.empty_at.contains_key(&key) {
            let at = self.empty_at.entry(key).or_insert(now);
            *at = (*at).max(now) + interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_key_has_its_own_rate_and_burst() {
        let rate = KeyedRate::new(3, Duration::from_millis(100));
        let admitted = |key| (0..10).filter(|_| rate.admit(key)).count();
        assert_eq!((admitted("a"), admitted("b")), (3, 3));
        assert_eq!(rate.wait(&"a"), Duration::from_millis(100));
        advance(Duration::from_millis(200)).await;
        assert_eq!(admitted("a"), 2);
        advance(Duration::from_secs(60)).await;
        assert_eq!(admitted("a"), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn keys_without_recent_events_are_removed() {
        let rate = KeyedRate::new(1, Duration::from_millis(1));
        for key in 0..10_000 {
            rate.count(key);
            advance(Duration::from_millis(1)).await;
        }
        assert!(rate.lock().empty_at.len() <= FEW + 1);
    }
}
