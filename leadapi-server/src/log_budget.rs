//! A budget for the log lines of requests without a valid token or session, so that strangers cannot flood the log.

use std::{net::IpAddr, time::Duration};

use crate::{keyed_rate::KeyedRate, listen::counted_address};

/// The lines that one address may cause at once, and the interval of further ones.
const PER_ADDRESS: (u32, Duration) = (200, Duration::from_millis(100));
/// The lines that all addresses together may cause at once, and the interval of further ones.
const TOTAL: (u32, Duration) = (2_000, Duration::from_millis(10));

#[derive(Debug)]
pub(crate) struct LogBudget {
    by_address: KeyedRate<Option<IpAddr>>,
    total: KeyedRate<()>,
}

impl LogBudget {
    pub(crate) fn new() -> Self {
        Self { by_address: KeyedRate::new(PER_ADDRESS.0, PER_ADDRESS.1), total: KeyedRate::new(TOTAL.0, TOTAL.1) }
    }

    /// Returns whether a line about a request from this peer may be written.
    pub(crate) fn admits(&self, peer: Option<IpAddr>) -> bool {
        self.by_address.admit(peer.map(counted_address)) && self.total.admit(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_address_has_its_own_budget_within_the_total() {
        let budget = LogBudget::new();
        let lines = |address: [u8; 4]| (0..1_000).filter(|_| budget.admits(Some(address.into()))).count();
        assert_eq!((lines([192, 0, 2, 1]), lines([192, 0, 2, 1]), lines([192, 0, 2, 2])), (200, 0, 200));
        let all: usize = (3..=255).map(|last| lines([192, 0, 2, last])).sum();
        assert_eq!(all, 2_000 - 400);
    }
}
