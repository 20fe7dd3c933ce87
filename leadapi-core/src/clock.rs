//! The system clock, and a clock that tests advance.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{model::Timestamp, port::Clock};

/// The system clock.
///
/// ```
/// use leadapi_core::{clock::SystemClock, model::Timestamp, port::Clock};
///
/// assert!(SystemClock.now() > Timestamp::UNIX_EPOCH);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock for tests. It moves only when the test advances it.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use leadapi_core::{clock::ManualClock, port::Clock};
///
/// let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse()?));
/// let seen_by_others = { let clock = clock.clone(); move || clock.now() };
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(seen_by_others.now().to_string(), "2026-05-04T12:01:00.000Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    start: Timestamp,
    elapsed: Mutex<Duration>,
}

impl ManualClock {
    /// Creates a clock that starts at this time.
    pub const fn at(start: Timestamp) -> Self {
        Self { start, elapsed: Mutex::new(Duration::ZERO) }
    }

    /// Advances the clock by a duration.
    pub fn advance(&self, by: Duration) {
        *self.elapsed.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// Returns the total time by which the clock was advanced. A limiter can use it as its time source.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_core::clock::ManualClock;
    /// let clock = ManualClock::at("2026-05-04T12:00:00Z".parse()?);
    /// clock.advance(Duration::from_millis(5));
    /// assert_eq!(clock.elapsed(), Duration::from_millis(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        // A timestamp cannot represent a time after the year 9999, so the clock returns its start time instead.
        self.start.checked_add(self.elapsed()).unwrap_or(self.start)
    }
}
