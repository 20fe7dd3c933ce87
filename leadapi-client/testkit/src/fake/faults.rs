//! Decides which requests fail, and how.

use std::{collections::BTreeSet, time::Duration};

#[derive(Debug, Default)]
pub(super) struct Faults {
    /// The number of requests received so far.
    seen: u64,
    failing: BTreeSet<u64>,
    dropping: BTreeSet<u64>,
    /// The fraction of requests that fail, and the seed that determines which requests fail.
    pub(super) fraction: (f64, u64),
    pub(super) latency: Duration,
}

/// The action that the fake takes for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultAction {
    Serve,
    Fail,
    DropResponse,
}

impl Faults {
    pub(super) fn fail_nth(&mut self, n: u64) {
        self.failing.insert(self.seen.saturating_add(n));
    }

    pub(super) fn drop_nth(&mut self, n: u64) {
        self.dropping.insert(self.seen.saturating_add(n));
    }

    /// Returns the action for the next request and the delay of its response.
    pub(super) fn next(&mut self) -> (FaultAction, Duration) {
        self.seen += 1;
        let (fraction, seed) = self.fraction;
        let action = if self.failing.remove(&self.seen) || unit_fraction(seed ^ mix(self.seen)) < fraction {
            FaultAction::Fail
        } else if self.dropping.remove(&self.seen) {
            FaultAction::DropResponse
        } else {
            FaultAction::Serve
        };
        (action, self.latency)
    }
}

/// Maps a number to a pseudo-random number in the range [0, 1).
#[expect(clippy::cast_precision_loss, reason = "a 64-bit float represents 53 bits exactly")]
fn unit_fraction(number: u64) -> f64 {
    (mix(number) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The `SplitMix64` finalizer, which maps similar inputs to unrelated outputs.
pub(super) const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_request_is_counted_from_the_call() {
        let mut faults = Faults::default();
        faults.next();
        faults.fail_nth(2);
        faults.drop_nth(1);
        let actions: Vec<FaultAction> = (0..4).map(|_| faults.next().0).collect();
        assert_eq!(actions, [FaultAction::DropResponse, FaultAction::Fail, FaultAction::Serve, FaultAction::Serve]);
    }

    #[test]
    fn a_fraction_is_accurate_and_reproducible_by_its_seed() {
        let failed = |fraction, seed| -> Vec<bool> {
            let mut faults = Faults { fraction: (fraction, seed), ..Faults::default() };
            (0..10_000).map(|_| faults.next().0 == FaultAction::Fail).collect()
        };
        let count = |failed: &[bool]| failed.iter().filter(|failed| **failed).count();
        assert!((900..1_100).contains(&count(&failed(0.1, 1))));
        assert_eq!((count(&failed(0.0, 1)), count(&failed(1.0, 1))), (0, 10_000));
        assert_eq!(failed(0.1, 1), failed(0.1, 1));
        assert_ne!(failed(0.1, 1), failed(0.1, 2));
    }
}
