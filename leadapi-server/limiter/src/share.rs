//! One server's share of the limit for one token and class.

use std::time::Duration;

use leadapi_core::{port::Admission, rate_limit::AdmissionLog};

use super::ledger::{Claim, Claimed, Release};

/// The time after which the ledger is queried again if it is unknown when another server's permit becomes free.
const RECHECK: Duration = Duration::from_secs(1);

/// The permits that this server holds, and the requests that it has admitted with them.
///
/// All times are measured from the same arbitrary instant of the server's monotonic clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Share {
    log: AdmissionLog,
    permits: u32,
    refusal: Option<Refusal>,
    last_used: Duration,
    /// The time at which the oldest admission leaves the window, as last reported to the ledger.
    reported: Option<Duration>,
}

/// The result of a claim that granted no permits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Refusal {
    /// The time at which the next permit is expected to become free.
    free_at: Duration,
    /// The time after which the ledger must be queried again.
    recheck_at: Duration,
}

impl Share {
    /// Admits or refuses a request. Returns `None` if the ledger must be queried first.
    pub(crate) fn admit(&mut self, now: Duration) -> Option<Admission> {
        self.last_used = now;
        if self.log.admit(now, self.permits).is_ok() {
            return Some(Admission::Admitted);
        }
        let refusal = self.refusal.as_ref().filter(|refusal| now < refusal.recheck_at)?;
        Some(Admission::Refused { retry_after: refusal.free_at.saturating_sub(now) })
    }

    /// Returns whether the next request can be admitted or refused without the ledger.
    pub(crate) fn can_decide(&mut self, now: Duration) -> bool {
        self.unused(now) > 0 || self.refusal.as_ref().is_some_and(|refusal| now < refusal.recheck_at)
    }

    /// Creates a claim for a tenth of the limit, but for at least one permit.
    pub(crate) fn claim(&mut self, operation: u64, limit: u32, now: Duration) -> Claim {
        let next_free = self.report(now);
        Claim { operation, permits: (limit / 10).max(1), limit, next_free }
    }

    pub(crate) fn claimed(&mut self, claimed: &Claimed) {
        self.permits = claimed.permits;
    }

    /// Refuses requests until a permit becomes free, or until the ledger must be queried again.
    pub(crate) fn refuse(&mut self, claimed: &Claimed, now: Duration) {
        let own = self.log.next_free(now);
        let known = own.into_iter().chain(claimed.next_free).min();
        let free_at = now + known.unwrap_or(AdmissionLog::WINDOW);
        // A server that did not respond may hold unused permits, or may have stopped.
        let recheck_at = if claimed.elsewhere > 0 && claimed.next_free.is_none() { now + RECHECK } else { free_at };
        self.refusal = Some(Refusal { free_at, recheck_at: recheck_at.min(free_at) });
    }

    /// Releases half of the unused permits, rounded up. The server must not use them afterwards.
    ///
    /// Returns `None` if there are no unused permits and the ledger already knows when the oldest admission leaves the
    /// window.
    pub(crate) fn release_half(&mut self, operation: u64, now: Duration) -> Option<Release> {
        let returned = self.unused(now).div_ceil(2);
        let reported = self.reported;
        let next_free = self.report(now);
        (returned > 0 || self.reported != reported).then(|| self.keep(self.permits - returned, operation, next_free))
    }

    /// Releases all permits of an idle share.
    pub(crate) fn release_all(&mut self, operation: u64) -> Release {
        self.keep(0, operation, None)
    }

    /// Returns whether the share has been unused for `idle`, and its window is empty.
    pub(crate) fn is_idle(&mut self, idle: Duration, now: Duration) -> bool {
        now.saturating_sub(self.last_used) >= idle && self.log.count(now) == 0
    }

    pub(crate) const fn has_permits(&self) -> bool {
        self.permits > 0
    }

    fn keep(&mut self, keep: u32, operation: u64, next_free: Option<Duration>) -> Release {
        self.permits = keep;
        Release { operation, keep, next_free }
    }

    fn unused(&mut self, now: Duration) -> u32 {
        self.permits.saturating_sub(self.log.count(now))
    }

    fn report(&mut self, now: Duration) -> Option<Duration> {
        let next_free = self.log.next_free(now);
        self.reported = next_free.map(|wait| now + wait);
        next_free
    }
}
