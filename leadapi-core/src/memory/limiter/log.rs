//! One window: the moments of the last 60 s at which requests were admitted.

use std::{collections::VecDeque, num::NonZeroU32};

/// The window in microseconds (contract D9).
pub(super) const WINDOW: u64 = 60_000_000;

/// The admissions of one token and class, oldest first.
///
/// Moments are kept as the low 32 bits of their microseconds. That is enough: whatever is older than the window is
/// dropped before anything is compared, so no two moments in the log are 71 minutes apart, where 32 bits turn over.
#[derive(Debug, Default)]
pub(super) struct Log {
    moments: VecDeque<u32>,
    newest: u64,
}

impl Log {
    /// Counts a request at this moment, or says in how many microseconds there will be room.
    pub(super) fn admit(&mut self, now: u64, limit: NonZeroU32) -> Result<(), u64> {
        // A clock that steps back would let the log run out of order; to stand still is the safe reading.
        let now = now.max(self.newest);
        self.forget(now);
        let limit = limit.get() as usize;
        if self.moments.len() >= limit {
            let age = self.moments.front().map_or(WINDOW, |oldest| u64::from(low(now).wrapping_sub(*oldest)));
            return Err(WINDOW.saturating_sub(age));
        }
        if self.moments.len() == self.moments.capacity() {
            // Doubling on its own would end well above the limit, which is where a busy token stays.
            let room = (self.moments.len().max(4) * 2).min(limit) - self.moments.len();
            self.moments.reserve_exact(room);
        }
        self.moments.push_back(low(now));
        self.newest = now;
        Ok(())
    }

    pub(super) fn is_idle(&self, now: u64) -> bool {
        now.saturating_sub(self.newest) >= WINDOW
    }

    fn forget(&mut self, now: u64) {
        if self.is_idle(now) {
            self.moments.clear();
            return;
        }
        while self.moments.front().is_some_and(|oldest| u64::from(low(now).wrapping_sub(*oldest)) >= WINDOW) {
            self.moments.pop_front();
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.moments.capacity() * size_of::<u32>()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
const fn low(micros: u64) -> u32 {
    micros as u32
}
