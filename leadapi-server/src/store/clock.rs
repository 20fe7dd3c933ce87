//! The clock of a store.
//!
//! Several servers may share a PostgreSQL database, and any of their system clocks may be wrong. They all follow the
//! database's clock instead. Between two readings of it, a server adds the time that has passed on its monotonic clock,
//! so a step of its system clock changes nothing.
//!
//! # Key time
//!
//! If the database's clock steps forward by a day, no idempotency key may expire at once. The age of keys is therefore
//! judged by the *key time*, which is behind the clock by the sum of the clock's steps. It never steps back, and it is
//! never ahead of the real time that has passed.
//!
//! The database stores the key time together with the clock at that time, so that a server that has not seen a step
//! does not count it as real time. A server that starts adds the time since then only if it is short. If no server ran
//! for longer, the key time stands still meanwhile, so keys are kept for longer, never for less.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use leadapi_core::{model::Timestamp, port::Clock};

/// The smallest movement of the database's clock that counts as a step. Corrections below it are normal.
const STEP: i64 = 100_000;
/// The longest time since the last stored key time that a server adds when it starts. Slightly more than the interval at
/// which servers store it.
const MAX_RESTART: i64 = 15_000_000;

/// The clock of a [`SqlStore`](super::SqlStore), returned by [`SqlStore::clock`](super::SqlStore::clock).
///
/// With SQLite, it is the system clock. With PostgreSQL, it is the database's clock, so that all servers agree on when
/// a token or an idempotency key expires. The store reads the database's clock every ten seconds.
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

/// A key time in the database, and the database's clock at that time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredTime {
    pub(super) clock: i64,
    pub(super) key_time: i64,
}

/// The clock of a database, as seen by this server.
#[derive(Debug)]
pub(crate) struct DatabaseClock {
    start: Instant,
    state: RwLock<State>,
}

impl DatabaseClock {
    /// Creates a clock from its first reading. `start` is the origin of the monotonic times.
    pub(super) fn new(start: Instant, first: Reading, stored: Option<StoredTime>) -> Self {
        Self { start, state: RwLock::new(State::new(first, stored)) }
    }

    /// Returns the monotonic time.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adopts a reading and the stored key time, and returns the key time to store.
    pub(super) fn adopt(&self, reading: Reading, stored: Option<StoredTime>) -> StoredTime {
        self.state.write().unwrap_or_else(PoisonError::into_inner).adopt(reading, stored)
    }

    /// Returns the time by which idempotency keys are judged, given the time of a request.
    pub(super) fn key_time(&self, at: Timestamp) -> Timestamp {
        let lag = self.read(|state| state.lag(at, self.elapsed()));
        Timestamp::from_unix_millis(at.unix_millis().saturating_sub(lag.div_euclid(1_000))).unwrap_or(at)
    }

    // No code panics while it holds the lock, so poisoning can be ignored.
    fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let micros = self.read(|state| state.current.clock(self.elapsed()));
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

/// How this server converts between times, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct View {
    /// The database's clock minus the monotonic clock.
    offset: i64,
    /// The database's clock minus the key time. Negative after the clock was set back.
    lag: i64,
}

impl View {
    fn clock(self, now: Duration) -> i64 {
        self.offset.saturating_add(micros(now))
    }
}

#[derive(Debug)]
struct State {
    current: View,
    /// The view before the last step. A request that began before the step has a time on the old clock.
    previous: View,
    /// The database's clock when this server last read the stored key time, if the clock has not stepped since.
    compared_at: Option<i64>,
}

impl State {
    fn new(first: Reading, stored: Option<StoredTime>) -> Self {
        let lag = stored.map_or(0, |stored| {
            let passed = first.micros.saturating_sub(stored.clock);
            let passed = if (0..=MAX_RESTART).contains(&passed) { passed } else { 0 };
            first.micros.saturating_sub(stored.key_time).saturating_sub(passed)
        });
        let current = View { offset: first.offset(), lag };
        Self { current, previous: current, compared_at: Some(first.micros) }
    }

    fn adopt(&mut self, reading: Reading, stored: Option<StoredTime>) -> StoredTime {
        let mut view = self.current;
        let [lowest, highest] = reading.bounds();
        // A reading that took long says little, so the clock moves only if the reading contradicts it.
        if !(lowest..=highest).contains(&view.offset) {
            let by = reading.offset().saturating_sub(view.offset);
            if by.saturating_abs() >= STEP {
                view.lag = view.lag.saturating_add(by);
                self.compared_at = None;
            }
            view.offset = reading.offset();
        }
        if let Some(stored) = stored {
            // Without a step since then, the lag of the other server is still valid. Otherwise, its time is a minimum.
            let is_valid = self.compared_at.is_some_and(|at| (at..=reading.micros).contains(&stored.clock));
            let clock = if is_valid { stored.clock } else { reading.micros };
            view.lag = view.lag.min(clock.saturating_sub(stored.key_time));
            self.compared_at = Some(reading.micros);
        }
        if view.lag != self.current.lag {
            self.previous = self.current;
        }
        self.current = view;
        StoredTime { clock: reading.micros, key_time: reading.micros.saturating_sub(view.lag) }
    }

    /// Returns the lag of the key time at the time of a request.
    fn lag(&self, at: Timestamp, now: Duration) -> i64 {
        let at = at.unix_millis().saturating_mul(1_000);
        let distance = |view: View| view.clock(now).abs_diff(at);
        if distance(self.previous) < distance(self.current) { self.previous.lag } else { self.current.lag }
    }
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
    fn reading(micros: i64, secs: i64) -> Reading {
        let sent = Duration::from_micros((secs * SECOND).unsigned_abs());
        Reading { micros, sent, received: sent + Duration::from_millis(1) }
    }

    fn state(clock: i64) -> State {
        State::new(Reading { received: Duration::ZERO, ..reading(clock, 0) }, None)
    }

    #[test]
    fn a_reading_that_agrees_or_took_long_does_not_move_the_clock() {
        let mut state = state(NOON);
        state.adopt(reading(NOON + 60 * SECOND, 60), None);
        state.adopt(Reading { received: Duration::from_secs(130), ..reading(NOON + 125 * SECOND, 120) }, None);
        assert_eq!(state.current, View { offset: NOON, lag: 0 });
    }

    #[test]
    fn a_small_correction_is_followed_and_is_not_a_step() {
        let mut state = state(NOON);
        state.adopt(reading(NOON + 60 * SECOND + STEP / 2, 60), None);
        assert!((state.current.offset - NOON - STEP / 2).abs() <= 1_000, "{}", state.current.offset);
        assert_eq!(state.current.lag, 0);
    }

    /// Servers start, read the clock and stop, while the clock steps. Every server counts the same real time.
    #[test]
    fn the_key_time_follows_the_real_time_while_the_clock_steps_and_servers_restart() {
        let (mut servers, mut stored) = (vec![state(NOON)], None);
        let mut random = 1_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap() % below
        };
        let (mut step, mut starts) = (0, 0);
        for secs in 1..20_000 {
            let now = NOON + secs * SECOND;
            if next(100) == 0 {
                step = [0, SECOND, -SECOND, DAY + 3_600 * SECOND, -DAY, 10 * DAY, -10 * DAY][next(7)];
            }
            let reading = reading(now + step, secs);
            if next(50) == 0 && servers.len() < 4 {
                servers.push(State::new(reading, stored));
                starts += 1;
            }
            let running = servers.len();
            for (nth, server) in servers.iter_mut().enumerate() {
                if secs % 10 == i64::try_from(nth).unwrap() {
                    let own = server.adopt(reading, stored);
                    stored = stored.filter(|known: &StoredTime| known.key_time >= own.key_time).or(Some(own));
                    let error = own.key_time - now;
                    // A server that starts during a step loses the time since the last reading, but not for long.
                    assert!(error.abs() <= (1 + 10 * starts) * SECOND / 10, "{error} after {secs} s, {running} servers");
                }
            }
            if next(50) == 0 && servers.len() > 1 {
                servers.remove(next(servers.len()));
            }
        }
        assert!(starts > 100, "{starts}");
    }

    #[test]
    fn a_server_that_starts_after_a_step_or_a_long_time_does_not_count_it() {
        let stored = StoredTime { clock: NOON, key_time: NOON - 7 * SECOND };
        for (passed, counted) in [(0, 0), (14, 14), (16, 0), (90_000, 0), (-1, 0), (-90_000, 0)] {
            let state = State::new(reading(NOON + passed * SECOND, 0), Some(stored));
            let key_time = NOON + passed * SECOND - state.current.lag;
            assert_eq!(key_time, stored.key_time + counted * SECOND, "{passed} s");
        }
    }

    #[test]
    fn a_request_that_began_before_a_step_has_the_key_time_of_its_own_clock() {
        let mut state = state(NOON);
        let at = |micros: i64| Timestamp::from_unix_millis(micros / 1_000).unwrap();
        state.adopt(reading(NOON + DAY + 60 * SECOND, 60), None);
        let now = Duration::from_secs(62);
        assert_eq!(state.lag(at(NOON + 59 * SECOND), now), 0);
        assert!((state.lag(at(NOON + DAY + 61 * SECOND), now) - DAY).abs() <= 1_000);
    }

    #[test]
    fn the_time_continues_between_readings() {
        let start = Instant::now();
        let clock = DatabaseClock::new(start, reading(NOON, 0), None);
        let (before, now, after) = (start.elapsed(), clock.now().unix_millis(), start.elapsed());
        let expected = |elapsed: Duration| (NOON + micros(elapsed)) / 1_000;
        assert!((expected(before) - 2..=expected(after)).contains(&now), "{now}");
        assert_eq!(clock.key_time(clock.now()).unix_millis() / 1_000, clock.now().unix_millis() / 1_000);
    }
}
