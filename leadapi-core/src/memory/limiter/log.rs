//! The log of a rate limiter: the times at which requests were admitted in the last 60 s.

use std::{collections::VecDeque, time::Duration};

/// The length of the window in microseconds (contract D9).
const WINDOW: u64 = 60_000_000;

/// The exact window for one token and class (contract D9): the times at which requests were admitted, oldest first.
///
/// A rate limiter keeps one log for each token and class. Times are rounded down to whole microseconds and take four
/// bytes each. They can be measured from any fixed instant.
///
/// ```
/// use std::time::Duration;
/// use leadapi_core::memory::AdmissionLog;
///
/// let mut log = AdmissionLog::default();
/// let at = Duration::from_secs;
/// assert_eq!(log.admit(at(0), 1), Ok(()));
/// assert_eq!(log.admit(at(59), 1), Err(at(1)));
/// assert_eq!(log.admit(at(60), 1), Ok(()));
/// ```
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct AdmissionLog {
    /// The low 32 bits of each time in microseconds, which wrap around every 71 minutes. Times older than the window
    /// are dropped before any comparison, so all times in the log lie within one window.
    times: VecDeque<u32>,
    newest: u64,
}

impl AdmissionLog {
    /// The length of the window: 60 s.
    pub const WINDOW: Duration = Duration::from_micros(WINDOW);

    /// Admits and counts a request at `now`, if the window contains fewer than `limit` admissions.
    ///
    /// # Errors
    ///
    /// Returns the time until the oldest admission leaves the window. If `limit` is zero and there is no admission,
    /// returns the length of the window.
    pub fn admit(&mut self, now: Duration, limit: u32) -> Result<(), Duration> {
        let now = self.advance(now);
        let limit = limit as usize;
        if self.times.len() >= limit {
            return Err(self.oldest_leaves_in(now).unwrap_or(Self::WINDOW));
        }
        if self.times.len() == self.times.capacity() {
            // Growth stops at the limit. The log of a busy token has exactly `limit` entries, so doubling the capacity
            // without this cap would waste memory.
            let additional = (self.times.len().max(4) * 2).min(limit) - self.times.len();
            self.times.reserve_exact(additional);
        }
        self.times.push_back(low_bits(now));
        self.newest = now;
        Ok(())
    }

    /// Returns the number of admissions in the window that ends at `now`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_core::memory::AdmissionLog;
    /// let mut log = AdmissionLog::default();
    /// assert_eq!(log.admit(Duration::ZERO, 600), Ok(()));
    /// assert_eq!(log.count(Duration::from_secs(59)), 1);
    /// assert_eq!(log.count(Duration::from_secs(60)), 0);
    /// ```
    pub fn count(&mut self, now: Duration) -> u32 {
        self.advance(now);
        self.times.len().try_into().unwrap_or(u32::MAX)
    }

    /// Returns the time until the oldest admission leaves the window, or `None` if the window is empty.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_core::memory::AdmissionLog;
    /// let mut log = AdmissionLog::default();
    /// assert_eq!(log.next_free(Duration::ZERO), None);
    /// assert_eq!(log.admit(Duration::ZERO, 600), Ok(()));
    /// assert_eq!(log.next_free(Duration::from_secs(20)), Some(Duration::from_secs(40)));
    /// ```
    pub fn next_free(&mut self, now: Duration) -> Option<Duration> {
        let now = self.advance(now);
        self.oldest_leaves_in(now)
    }

    pub(super) fn is_idle(&self, now: Duration) -> bool {
        micros(now).saturating_sub(self.newest) >= WINDOW
    }

    /// Drops the times that have left the window, and returns the current time in microseconds.
    fn advance(&mut self, now: Duration) -> u64 {
        // If the clock steps backwards, the newest logged time is used instead, so that the log stays in order.
        let now = micros(now).max(self.newest);
        if now - self.newest >= WINDOW {
            self.times.clear();
        }
        while self.times.front().is_some_and(|oldest| age(now, *oldest) >= WINDOW) {
            self.times.pop_front();
        }
        now
    }

    fn oldest_leaves_in(&self, now: u64) -> Option<Duration> {
        self.times.front().map(|oldest| Duration::from_micros(WINDOW.saturating_sub(age(now, *oldest))))
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.times.capacity() * size_of::<u32>()
    }
}

fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap_or(u64::MAX)
}

/// Returns the age of a logged time, which must be less than 71 minutes.
fn age(now: u64, logged: u32) -> u64 {
    low_bits(now).wrapping_sub(logged).into()
}

#[expect(clippy::cast_possible_truncation, reason = "only the low bits are stored")]
const fn low_bits(micros: u64) -> u32 {
    micros as u32
}
