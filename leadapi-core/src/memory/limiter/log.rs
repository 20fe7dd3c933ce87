//! A log of the times at which requests were admitted in the last 60 s.

use std::{collections::VecDeque, num::NonZeroU32};

/// The length of the window in microseconds (contract D9).
pub(super) const WINDOW: u64 = 60_000_000;

/// The times at which requests of one token and class were admitted, oldest first.
///
/// Each time is stored as the low 32 bits of its microsecond count, which wrap around every 71 minutes. Times older
/// than the window are dropped before any comparison, so all times in the log lie within one window.
#[derive(Debug, Default)]
pub(super) struct Log {
    times: VecDeque<u32>,
    newest: u64,
}

impl Log {
    /// Admits and counts a request at `now`, or returns the number of microseconds until a request can be admitted.
    pub(super) fn admit(&mut self, now: u64, limit: NonZeroU32) -> Result<(), u64> {
        // If the clock steps backwards, the newest logged time is used instead, which keeps the log in order.
        let now = now.max(self.newest);
        self.expire(now);
        let limit = limit.get() as usize;
        if self.times.len() >= limit {
            let age = self.times.front().map_or(WINDOW, |oldest| u64::from(low_bits(now).wrapping_sub(*oldest)));
            return Err(WINDOW.saturating_sub(age));
        }
        if self.times.len() == self.times.capacity() {
            // The capacity never exceeds the limit, which the log of a busy token reaches. Doubling the capacity
            // without this cap would waste memory.
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
