//! A budget for the log lines of requests without a valid token or session, so that strangers cannot flood the log.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use crate::{address::counted_address, keyed_rate::KeyedRate};

/// The number of lines that one address may cause at once, and the interval between further lines.
const PER_ADDRESS: (u32, Duration) = (200, Duration::from_millis(100));
/// The number of lines that all addresses together may cause at once, and the interval between further lines.
const TOTAL: (u32, Duration) = (2_000, Duration::from_millis(10));

/// A budget for the log lines of requests without a valid token or session. Clones share it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use leadapi_access::LogBudget;
///
/// let budget = LogBudget::new().on_suppressed(|| eprintln!("a line was not written"));
/// assert!(budget.admits(Some([192, 0, 2, 7].into())));
/// # });
/// ```
#[derive(Clone)]
pub struct LogBudget {
    rates: Arc<Rates>,
    on_suppressed: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug)]
struct Rates {
    by_address: KeyedRate<Option<IpAddr>>,
    total: KeyedRate<()>,
}

impl LogBudget {
    /// Creates a budget of 200 lines per address and 2,000 in total. It refills at 10 lines per second for an address,
    /// and at 100 in total.
    pub fn new() -> Self {
        let by_address = KeyedRate::new(PER_ADDRESS.0, PER_ADDRESS.1);
        let rates = Rates { by_address, total: KeyedRate::new(TOTAL.0, TOTAL.1) };
        Self { rates: Arc::new(rates), on_suppressed: Arc::new(|| {}) }
    }

    /// Sets a function that is called for each line that may not be written, for example to count it.
    #[must_use]
    pub fn on_suppressed(self, count: impl Fn() + Send + Sync + 'static) -> Self {
        Self { on_suppressed: Arc::new(count), ..self }
    }

    /// Returns whether a line about a request from this peer may be written.
    pub fn admits(&self, peer: Option<IpAddr>) -> bool {
        let is_admitted = self.rates.by_address.admit(peer.map(counted_address)) && self.rates.total.admit(());
        if !is_admitted {
            (self.on_suppressed)();
        }
        is_admitted
    }
}

impl Default for LogBudget {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LogBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogBudget").field("rates", &self.rates).finish_non_exhaustive()
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
