//! The clock of a store.
//!
//! Several servers may share a PostgreSQL database, and any of their system clocks may be wrong. They all follow the
//! database's clock instead. Between two readings of it, a server adds the time that has passed on its monotonic clock,
//! so a step of its system clock changes nothing.
//!
//! # Steps of the database's clock
//!
//! If the database's clock steps forward by a day, no idempotency key may expire at once. A server therefore judges the
//! age of keys by a time that is behind the clock by all forward steps of the last 24 hours. For a key that was created
//! less than 24 hours ago, this time is at most the real age of the key ahead of `created_at`: the clock has gained the
//! real age and the steps in between, and those steps are subtracted. So no such key expires. After a backward step,
//! keys are older in reality than they seem, so they are kept for longer.

use std::{
    collections::VecDeque,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use leadapi_core::{
    model::Timestamp,
    port::{Clock, Idempotency},
};

/// The smallest movement of the database's clock that counts as a step. Corrections below it are normal.
const STEP: i64 = 1_000_000;

/// The clock of a [`SqlStore`](super::SqlStore), returned by [`SqlStore::clock`](super::SqlStore::clock).
///
/// With SQLite, it is the system clock. With PostgreSQL, it is the database's clock, so that all servers agree on when
/// a token or an idempotency key expires. The store reads the database's clock once a minute.
#[derive(Debug, Clone)]
pub struct StoreClock(Option<Arc<DatabaseClock>>);

impl StoreClock {
    pub(crate) const SYSTEM: Self = Self(None);

    pub(super) const fn database(clock: Arc<DatabaseClock>) -> Self {
        Self(Some(clock))
    }

    /// Returns whether the time is read from a database.
    pub(super) const fn is_of_database(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the time by which the age of idempotency keys is judged, given the time of a request.
    pub(super) fn key_time(&self, at: Timestamp) -> Timestamp {
        self.0.as_ref().map_or(at, |clock| clock.key_time(at))
    }
}

impl Clock for StoreClock {
    fn now(&self) -> Timestamp {
        self.0.as_ref().map_or_else(Timestamp::now, |clock| clock.now())
    }
}

/// A reading of the database's clock. The other times are on the server's monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Microseconds since the Unix epoch.
    pub(super) micros: i64,
    /// When the query was sent.
    pub(super) sent: Duration,
    /// When the response was received.
    pub(super) received: Duration,
}

/// The clock of a database, as seen by this server.
#[derive(Debug)]
pub(crate) struct DatabaseClock {
    start: Instant,
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The database's clock minus the monotonic clock, in microseconds.
    offset: i64,
    /// The forward steps of the last 24 hours: when each was noticed, and its size in microseconds.
    steps: VecDeque<(Duration, i64)>,
}

impl DatabaseClock {
    /// Creates a clock from its first reading. `start` is the origin of the monotonic times.
    pub(super) fn new(start: Instant, first: Reading) -> Self {
        let state = State { offset: first.offset(), steps: VecDeque::new() };
        Self { start, state: RwLock::new(state) }
    }

    /// Returns the monotonic time.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adopts a reading.
    pub(super) fn adopt(&self, reading: Reading) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).adopt(reading);
    }

    /// Returns the time by which idempotency keys are judged, given the time of a request.
    pub(super) fn key_time(&self, at: Timestamp) -> Timestamp {
        self.read(|state| at.checked_sub(state.recent_steps(self.elapsed())).unwrap_or(at))
    }

    // No code panics while it holds the lock, so poisoning can be ignored.
    fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let micros = self.read(|state| state.offset.saturating_add(micros(self.elapsed())));
        Timestamp::from_unix_millis(micros.div_euclid(1_000)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl Reading {
    /// Returns the most likely offset of the clock. The database read its clock between the query and the response.
    fn offset(self) -> i64 {
        let [lowest, highest] = self.bounds();
        lowest.midpoint(highest)
    }

    fn bounds(self) -> [i64; 2] {
        [self.received, self.sent].map(|at| self.micros.saturating_sub(micros(at)))
    }
}

impl State {
    fn adopt(&mut self, reading: Reading) {
        let [lowest, highest] = reading.bounds();
        // A reading that took long says little, so the clock moves only if the reading contradicts it.
        if (lowest..=highest).contains(&self.offset) {
            return;
        }
        let by = reading.offset().saturating_sub(self.offset);
        if by >= STEP {
            self.steps.retain(|(at, _)| is_recent(*at, reading.received));
            self.steps.push_back((reading.received, by));
        }
        self.offset = reading.offset();
    }

    fn recent_steps(&self, now: Duration) -> Duration {
        let recent = self.steps.iter().filter(|(at, _)| is_recent(*at, now));
        let sum = recent.fold(0_i64, |sum, (_, by)| sum.saturating_add(*by));
        Duration::from_micros(sum.unsigned_abs())
    }
}

fn is_recent(at: Duration, now: Duration) -> bool {
    now.saturating_sub(at) < Idempotency::LIFETIME
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_777_896_000_000_000;
    const SECOND: i64 = 1_000_000;
    const DAY: i64 = 24 * 60 * 60 * SECOND;

    /// Returns a reading at a monotonic time, in seconds. The query takes a millisecond.
    fn reading(micros: i64, secs: u64) -> Reading {
        let sent = Duration::from_secs(secs);
        Reading { micros, sent, received: sent + Duration::from_millis(1) }
    }

    fn state(offset: i64) -> State {
        State { offset, steps: VecDeque::new() }
    }

    #[test]
    fn a_reading_that_agrees_or_took_long_does_not_move_the_clock() {
        let mut state = state(NOON);
        state.adopt(reading(NOON + 60 * SECOND, 60));
        state.adopt(Reading { received: Duration::from_secs(130), ..reading(NOON + 125 * SECOND, 120) });
        assert_eq!((state.offset, state.steps.len()), (NOON, 0));
    }

    #[test]
    fn a_small_correction_is_followed_and_is_not_a_step() {
        let mut state = state(NOON);
        state.adopt(reading(NOON + 60 * SECOND + SECOND / 2, 60));
        assert!((state.offset - NOON - SECOND / 2).abs() <= 1_000, "{}", state.offset);
        assert_eq!(state.recent_steps(Duration::from_secs(60)), Duration::ZERO);
    }

    /// The clock jumps forward by a day, and back after an hour. Keys are judged as if it had never jumped, or as
    /// younger.
    #[test]
    fn keys_do_not_expire_early_when_the_clock_jumps_forward_and_back() {
        let mut state = state(NOON);
        // The age at which a key of the start seems to be, in microseconds.
        let age = |state: &State, secs: u64| {
            let now = Duration::from_secs(secs);
            state.offset + micros(now) - micros(state.recent_steps(now)) - NOON
        };
        state.adopt(reading(NOON + DAY + 60 * SECOND, 60));
        assert!((age(&state, 60) - 60 * SECOND).abs() <= SECOND);
        // A key that is created after the jump has the new time, and it must not expire when the step is forgotten.
        assert!(age(&state, 86_399) < DAY && age(&state, 86_400 + 62) > 2 * DAY);
        state.adopt(reading(NOON + 3_660 * SECOND, 3_660));
        assert!(age(&state, 3_660) < 3_660 * SECOND);
        assert!((age(&state, 86_400 + 62) - (86_400 + 62) * SECOND).abs() <= SECOND);
    }

    #[test]
    fn the_time_continues_between_readings() {
        let start = Instant::now();
        let clock = DatabaseClock::new(start, reading(NOON, 0));
        let (before, now, after) = (start.elapsed(), clock.now().unix_millis(), start.elapsed());
        let expected = |elapsed: Duration| (NOON + micros(elapsed)) / 1_000;
        assert!((expected(before) - 2..=expected(after)).contains(&now), "{now}");
        assert_eq!(clock.key_time(clock.now()).unix_millis() / 1_000, clock.now().unix_millis() / 1_000);
    }
}
