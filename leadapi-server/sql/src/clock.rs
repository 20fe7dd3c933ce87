//! The clock of a store.
//!
//! Several servers may share a PostgreSQL database, and any of their system clocks may be wrong. They all follow the
//! database's clock instead. Between two readings of it, a server adds the time that has passed on its monotonic clock,
//! so a step of its system clock has no effect.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use leadapi_core::{model::Timestamp, port::Clock};
use leadapi_limiter::key_time::{KeyClock, Reading, StoredTime};

/// The clock of a [`SqlStore`](super::SqlStore), returned by [`SqlStore::clock`](super::SqlStore::clock).
///
/// With SQLite, it is the system clock. With PostgreSQL, it is the database's clock, so that all servers agree on when
/// a token or an idempotency key expires. The store reads the database's clock every ten seconds.
#[derive(Debug, Clone)]
pub struct StoreClock(Option<Arc<DatabaseClock>>);

impl StoreClock {
    /// The system clock, for stores without a database.
    pub const SYSTEM: Self = Self(None);

    pub(super) const fn database(clock: Arc<DatabaseClock>) -> Self {
        Self(Some(clock))
    }

    /// Returns the time by which the age of idempotency keys is measured, given the time of a request.
    pub(super) fn key_time(&self, at: Timestamp) -> Timestamp {
        self.0.as_ref().map_or(at, |clock| clock.key_time(at))
    }
}

impl Clock for StoreClock {
    fn now(&self) -> Timestamp {
        self.0.as_ref().map_or_else(Timestamp::now, |clock| clock.now())
    }
}

/// The clock of a database, as seen by this server.
#[derive(Debug)]
pub(crate) struct DatabaseClock {
    start: Instant,
    state: RwLock<KeyClock>,
}

impl DatabaseClock {
    /// Creates a clock from its first reading. `start` is the origin of the monotonic times.
    pub(super) fn new(start: Instant, first: Reading, stored: Option<StoredTime>) -> Self {
        Self { start, state: RwLock::new(KeyClock::new(first, stored)) }
    }

    /// Returns the monotonic time.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adopts a reading and the stored key time, and returns the key time to store.
    pub(super) fn adopt(&self, reading: Reading, stored: Option<StoredTime>) -> StoredTime {
        self.state.write().unwrap_or_else(PoisonError::into_inner).adopt(reading, stored)
    }

    /// Returns the time by which the age of idempotency keys is measured, given the time of a request.
    pub(super) fn key_time(&self, at: Timestamp) -> Timestamp {
        let lag = self.read(|state| state.lag(at, self.elapsed()));
        Timestamp::from_unix_millis(at.unix_millis().saturating_sub(lag.div_euclid(1_000))).unwrap_or(at)
    }

    /// Returns the current key time, in milliseconds.
    pub(super) fn key_millis(&self) -> i64 {
        self.key_time(self.now()).unix_millis()
    }

    // No code panics while it holds the lock, so poisoning can be ignored.
    fn read<T>(&self, read: impl FnOnce(&KeyClock) -> T) -> T {
        read(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let micros = self.read(|state| state.clock(self.elapsed()));
        Timestamp::from_unix_millis(micros.div_euclid(1_000)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_continues_between_readings() {
        let (start, noon) = (Instant::now(), 1_777_896_000_000_000);
        let first = Reading { micros: noon, sent: Duration::ZERO, received: Duration::from_millis(1) };
        let clock = DatabaseClock::new(start, first, None);
        let (before, now, after) = (start.elapsed(), clock.now().unix_millis(), start.elapsed());
        let expected = |elapsed: Duration| noon / 1_000 + i64::try_from(elapsed.as_millis()).unwrap();
        assert!((expected(before) - 2..=expected(after)).contains(&now), "{now}");
        assert_eq!(clock.key_time(clock.now()).unix_millis() / 1_000, clock.now().unix_millis() / 1_000);
    }
}
