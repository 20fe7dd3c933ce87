//! The ledger for one token and class, which records how many of the limit's permits each server holds.
//!
//! The sum of all shares never exceeds the limit. Each server applies the exact window to its own share, so all servers
//! together never exceed the limit in any window. This guarantee does not depend on a comparison of clocks, so it holds
//! whatever the database's clock does.
//!
//! The times in the ledger can only shorten waits, and a wait longer than the window is ignored. The times are key
//! times (see [`key_time`](crate::key_time)), which do not follow steps of the database's clock, so a step neither
//! shortens nor prolongs a wait.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use leadapi_core::memory::AdmissionLog;
use serde::{Deserialize, Serialize};

/// The time that the other servers have to return permits for a claim that the ledger could not grant.
pub const RECALL_MILLIS: i64 = 300;

/// The id of a server in the ledger. A server that loses its shares continues with a new id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ServerId(pub String);

/// The shares of a limit. Times are key times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// The shares of the servers that hold permits.
    pub shares: BTreeMap<ServerId, LedgerShare>,
    /// Until this time, servers with unused permits should return some of them. A time more than [`RECALL_MILLIS`]
    /// ahead is from a server of an older version, before a step of the clock, and has no effect.
    pub wanted_until: i64,
}

/// A server's share of a limit, as a ledger stores it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LedgerShare {
    permits: u32,
    /// The number of the server's last operation. An operation whose number is not higher is ignored, because it was
    /// retried or delayed.
    operation: u64,
    /// The time at which the share's oldest admission leaves the window, as last reported, or 0 if the window was
    /// empty.
    free_at: i64,
}

/// A server's request for permits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The number of the server's operation, which increases with each operation.
    pub operation: u64,
    /// The number of additional permits. The ledger may grant fewer.
    pub permits: u32,
    /// The limit that all servers share.
    pub limit: u32,
    /// The time until the server's oldest admission leaves the window, or `None` if the window is empty.
    pub next_free: Option<Duration>,
}

/// The response to a claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claimed {
    /// The server's whole share.
    pub permits: u32,
    /// The permits of all other servers.
    pub elsewhere: u32,
    /// The time until the first admission of any other server leaves the window, or `None` if the ledger does not know
    /// it.
    pub next_free: Option<Duration>,
}

/// A server's return of permits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Release {
    /// The number of the server's operation, which increases with each operation.
    pub operation: u64,
    /// The number of permits that the server keeps.
    pub keep: u32,
    /// The time until the server's oldest admission leaves the window, or `None` if the window is empty.
    pub next_free: Option<Duration>,
}

impl Ledger {
    /// Grants permits to a server. If the claim was already applied, grants no additional permits. Returns `None` if
    /// the server is no longer alive.
    ///
    /// At most half of the free permits are granted, rounded up, so that other servers can claim permits too. `alive`
    /// must contain every server that may still admit requests or whose admissions may still be in the window, because
    /// the shares of all other servers are freed. `now` is the key time in milliseconds.
    pub fn claim(&mut self, server: &ServerId, claim: &Claim, alive: &BTreeSet<ServerId>, now: i64) -> Option<Claimed> {
        if !alive.contains(server) {
            return None;
        }
        self.shares.retain(|server, _| alive.contains(server));
        let elsewhere = self.others(server).map(|share| share.permits).sum::<u32>();
        let next_free = self.others(server).filter_map(|share| share.next_free(now)).min();
        let own = self.shares.entry(server.clone()).or_default();
        if own.operation < claim.operation {
            let free = claim.limit.saturating_sub(elsewhere.saturating_add(own.permits));
            let granted = claim.permits.min(free.div_ceil(2));
            own.permits += granted;
            own.report(claim.operation, claim.next_free, now);
            if granted == 0 && elsewhere > 0 {
                self.wanted_until = now + RECALL_MILLIS;
            }
        }
        let permits = self.shares.get(server).map_or(0, |own| own.permits);
        Some(Claimed { permits, elsewhere, next_free })
    }

    /// Takes back the permits that a server does not keep. `now` is the key time in milliseconds.
    pub fn release(&mut self, server: &ServerId, release: &Release, now: i64) {
        let Some(own) = self.shares.get_mut(server) else { return };
        if own.operation < release.operation {
            own.permits = own.permits.min(release.keep);
            own.report(release.operation, release.next_free, now);
            if own.permits == 0 {
                self.shares.remove(server);
            }
        }
    }

    fn others(&self, server: &ServerId) -> impl Iterator<Item = &LedgerShare> {
        self.shares.iter().filter(move |(other, _)| *other != server).map(|(_, share)| share)
    }
}

impl LedgerShare {
    /// Returns the time until the share's oldest admission leaves the window, if known. No admission stays longer than
    /// the window, so a longer time is from a server of an older version, before a step of the clock.
    fn next_free(&self, now: i64) -> Option<Duration> {
        let wait = u64::try_from(self.free_at.saturating_sub(now)).ok().map(Duration::from_millis)?;
        (!wait.is_zero() && wait <= AdmissionLog::WINDOW).then_some(wait)
    }

    fn report(&mut self, operation: u64, next_free: Option<Duration>, now: i64) {
        self.operation = operation;
        // Rounded up, so that a caller that waits for this duration does not retry too early.
        let wait = next_free.and_then(|wait| i64::try_from(wait.as_micros().div_ceil(1_000)).ok());
        self.free_at = wait.map_or(0, |wait| now + wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers of older versions report times on the database's clock, which may have been set back since.
    #[test]
    fn a_wait_beyond_the_window_is_unknown_in_a_report_of_an_older_version() {
        let [a, b] = ["a", "b"].map(|id| ServerId(id.to_owned()));
        let report = r#"{"a": {"permits": 1, "operation": 1, "free_at": 100000}}"#;
        let claim = Claim { operation: 1, permits: 1, limit: 1, next_free: None };
        for (now, wait) in [(30_000, None), (40_000, Some(60)), (99_000, Some(1)), (100_000, None)] {
            let mut ledger = Ledger { shares: serde_json::from_str(report).unwrap(), wanted_until: 0 };
            let claimed = ledger.claim(&b, &claim, &[a.clone(), b.clone()].into(), now).unwrap();
            assert_eq!(claimed.next_free, wait.map(Duration::from_secs), "at {now}");
        }
    }
}
