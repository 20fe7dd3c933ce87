//! The log of one window: the times of the requests that were admitted in the last 60 s.

use std::{collections::VecDeque, num::NonZeroU32};

/// The length of the window in microseconds (contract D9).
pub(super) const WINDOW: u64 = 60_000_000;

/// The admissions of one token and class, oldest first.
///
/// A time is stored as the low 32 bits of its microseconds. That is enough: times older than the window are dropped
/// before any comparison, so no two times in the log are 71 minutes apart, where 32 bits wrap around.
#[derive(Debug, Default)]
pub(super) struct Log {
    times: VecDeque<u32>,
    newest: u64,
}

impl Log {
    /// Counts a request at this time, or returns the microseconds until the next one can be admitted.
    pub(super) fn admit(&mut self, now: u64, limit: NonZeroU32) -> Result<(), u64> {
        // If the clock steps back, the newest time is used instead; otherwise the log would be out of order.
        let now = now.max(self.newest);
        self.expire(now);
        let limit = limit.get() as usize;
        if self.times.len() >= limit {
            let age = self.times.front().map_or(WINDOW, |oldest| u64::from(low_bits(now).wrapping_sub(*oldest)));
            return Err(WINDOW.saturating_sub(age));
        }
        if self.times.len() == self.times.capacity() {
            // Growth stops at the limit, where a busy token stays. Plain doubling would end well above it.
            let additional = (self.times.len().max(4) * 2).min(limit) - self.times.len();
            self.times.reserve_exact(additional);
        }
        self.times.push_back(low_bits(now));
        self.newest = now;
        Ok(())
    }

    pub(super) fn is_idle(&self, now: u64) -> bool {
        now.saturating_sub(self.newest) >= WINDOW
    }

    fn expire(&mut self, now: u64) {
        if self.is_idle(now) {
            self.times.clear();
            return;
        }
        while self.times.front().is_some_and(|oldest| u64::from(low_bits(now).wrapping_sub(*oldest)) >= WINDOW) {
            self.times.pop_front();
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.times.capacity() * size_of::<u32>()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
const fn low_bits(micros: u64) -> u32 {
    micros as u32
}
