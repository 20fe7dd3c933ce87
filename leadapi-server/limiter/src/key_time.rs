//! The time by which the age of idempotency keys is measured, and by which the rate limiter measures waits.
//!
//! A step of the database's clock by a day must not make all idempotency keys expire at once. The age of keys is
//! therefore measured by the *key time*: the time on the clock minus the sum of the clock's steps.
//!
//! The database stores the key time together with the time on the clock, so that a server that has not seen a step does
//! not count the step as real time. When a server starts, it adds the time that has passed since then only if that time
//! is short. If no server ran for longer, the key time stood still, so keys are kept longer than necessary, but never
//! shorter.

use std::time::Duration;

use leadapi_core::model::Timestamp;

/// The smallest movement of the database's clock that counts as a step, in microseconds. Smaller corrections are
/// normal.
const STEP: i64 = 100_000;
/// The longest time since the last stored key time that a server adds when it starts, in microseconds. Slightly more
/// than the interval at which servers store it.
const MAX_RESTART: i64 = 15_000_000;

/// A reading of the database's clock. `sent` and `received` are times on the server's monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Microseconds since the Unix epoch.
    pub micros: i64,
    /// When the query was sent.
    pub sent: Duration,
    /// When the response was received.
    pub received: Duration,
}

/// A key time in the database, and the database's clock at that time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredTime {
    /// The database's clock.
    pub clock: i64,
    /// The key time.
    pub key_time: i64,
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

/// The current conversion between times, and the data that a server needs to notice a step.
#[derive(Debug)]
pub struct KeyClock {
    current: View,
    /// The view before the lag last changed. A request that began before a step has a time on the old clock.
    previous: View,
    /// The database's clock when this server last read the stored key time, if the clock has not stepped since.
    compared_at: Option<i64>,
}

impl KeyClock {
    /// Returns the database's clock at a monotonic time, in microseconds since the Unix epoch.
    pub fn clock(&self, now: Duration) -> i64 {
        self.current.clock(now)
    }

    /// Creates a clock from its first reading and the stored key time.
    pub fn new(first: Reading, stored: Option<StoredTime>) -> Self {
        let lag = stored.map_or(0, |stored| {
            let passed = first.micros.saturating_sub(stored.clock);
            let passed = if (0..=MAX_RESTART).contains(&passed) { passed } else { 0 };
            first.micros.saturating_sub(stored.key_time).saturating_sub(passed)
        });
        let current = View { offset: first.offset(), lag };
        Self { current, previous: current, compared_at: Some(first.micros) }
    }

    /// Adopts a reading and the stored key time. Returns the key time of the reading.
    pub fn adopt(&mut self, reading: Reading, stored: Option<StoredTime>) -> StoredTime {
        let mut view = self.current;
        let [lowest, highest] = reading.bounds();
        // A slow reading is imprecise, so the view changes only if the reading contradicts it.
        if !(lowest..=highest).contains(&view.offset) {
            if reading.offset().saturating_sub(view.offset).saturating_abs() >= STEP {
                self.previous = view;
                // Assumes the largest possible step, so that the key time is never ahead.
                view.lag = view.lag.saturating_add(highest.saturating_sub(view.offset));
                self.compared_at = None;
            } else {
                // Adds the amount that the clock has certainly gained. Otherwise, many small corrections would age
                // keys.
                view.lag = view.lag.saturating_add(lowest.saturating_sub(view.offset).max(0));
            }
            view.offset = reading.offset();
        }
        if let Some(stored) = stored {
            // If the clock has not stepped since the other server stored the key time, the lag of that server is still
            // valid. Otherwise, the stored key time is only a lower bound.
            let is_valid = self.compared_at.is_some_and(|at| (at..=reading.micros).contains(&stored.clock));
            let clock = if is_valid { stored.clock } else { reading.micros };
            let lag = view.lag.min(clock.saturating_sub(stored.key_time));
            // The lag before the last step was too large by the same amount.
            self.previous.lag = self.previous.lag.saturating_sub(view.lag.saturating_sub(lag));
            view.lag = lag;
            self.compared_at = Some(reading.micros);
        }
        self.current = view;
        StoredTime { clock: reading.micros, key_time: reading.micros.saturating_sub(view.lag) }
    }

    /// Returns how far the key time is behind the database's clock at the time of a request, in microseconds.
    pub fn lag(&self, at: Timestamp, now: Duration) -> i64 {
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

    fn state(clock: i64) -> KeyClock {
        KeyClock::new(Reading { received: Duration::ZERO, ..reading(clock, 0) }, None)
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
        assert_eq!(state.previous, View { offset: NOON, lag: 0 });
    }

    #[test]
    fn many_small_corrections_do_not_age_keys() {
        let mut state = state(NOON);
        for secs in 1..=3_600 {
            state.adopt(reading(NOON + secs * (SECOND + STEP / 2), secs), None);
        }
        let key_time = state.clock(Duration::from_secs(3_600)) - state.current.lag;
        assert!((NOON + 3_590 * SECOND..=NOON + 3_602 * SECOND).contains(&key_time), "{}", key_time - NOON);
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
                servers.push(KeyClock::new(reading, stored));
                starts += 1;
            }
            let running = servers.len();
            for (nth, server) in servers.iter_mut().enumerate() {
                if secs % 10 == i64::try_from(nth).unwrap() {
                    let own = server.adopt(reading, stored);
                    stored = stored.filter(|known: &StoredTime| known.key_time >= own.key_time).or(Some(own));
                    let error = own.key_time - now;
                    // A server that starts after a step may be behind until it reads the key time of another server. A
                    // server that starts cannot distinguish a step of one second from real time.
                    assert!(
                        (-11 * SECOND..=5 * SECOND).contains(&error),
                        "{error} after {secs} s of {running} servers"
                    );
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
            let state = KeyClock::new(reading(NOON + passed * SECOND, 0), Some(stored));
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
        // Another server's key time is a little ahead. Reading it changes both lags, but not which one applies.
        let reading = reading(NOON + DAY + 70 * SECOND, 70);
        state
            .adopt(reading, Some(StoredTime { clock: NOON + DAY + 65 * SECOND, key_time: NOON + 65 * SECOND + 1_000 }));
        assert!(state.lag(at(NOON + 59 * SECOND), Duration::from_secs(72)).abs() <= 10_000);
    }
}
