//! The lease during which a server may use its shares.
//!
//! The other servers remove a server only after its heartbeat has not changed for the duration of the lease plus the
//! window. By then, its lease has expired, and its last admission has left the window. Each server measures durations
//! with its own monotonic clock.

use std::{collections::BTreeMap, time::Duration};

use leadapi_core::memory::AdmissionLog;
use uuid::Uuid;

use super::ledger::ServerId;

/// The duration of the lease, from the time at which the heartbeat was sent.
pub(crate) const LEASE: Duration = Duration::from_secs(10);

/// A server that may hold shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The id of the server.
    pub server: ServerId,
    /// The number of its heartbeats.
    pub beat: u64,
}

/// A server's membership, and what it has observed about other members.
///
/// All times are measured from the same arbitrary instant of the server's monotonic clock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    server: ServerId,
    /// The end of the lease, if it has begun.
    until: Option<Duration>,
    /// The last heartbeat of each member, and the time at which it was first observed.
    observed: BTreeMap<ServerId, (u64, Duration)>,
}

impl Default for Lease {
    fn default() -> Self {
        Self::new(ServerId(Uuid::now_v7().to_string()))
    }
}

impl Lease {
    /// Creates the lease of a new server. The lease has not begun.
    pub const fn new(server: ServerId) -> Self {
        Self { server, until: None, observed: BTreeMap::new() }
    }

    pub(crate) const fn server(&self) -> &ServerId {
        &self.server
    }

    pub(crate) fn is_valid(&self, now: Duration) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Returns whether a successful heartbeat was sent in the last `interval`.
    pub(crate) fn is_fresh(&self, interval: Duration, now: Duration) -> bool {
        self.until.is_some_and(|until| now + LEASE < until + interval)
    }

    /// Starts or extends the lease, after a successful heartbeat that was sent at `sent`.
    pub(crate) fn extend(&mut self, sent: Duration) {
        self.until = Some(sent + LEASE);
    }

    /// Ends the lease of `server`. Does nothing if this server already has a new id.
    pub(crate) fn expire(&mut self, server: &ServerId) {
        if self.server == *server {
            self.until = None;
        }
    }

    /// Records the heartbeats in a response that was requested at `sent` and arrived at `now`. Returns the members that
    /// have stopped and can be removed.
    pub fn observe(&mut self, members: Vec<Member>, sent: Duration, now: Duration) -> Vec<Member> {
        let observed = std::mem::take(&mut self.observed);
        let mut stopped = Vec::new();
        for member in members {
            let before = observed.get(&member.server).filter(|(beat, _)| *beat == member.beat);
            let since = before.map_or(now, |(_, since)| *since);
            self.observed.insert(member.server.clone(), (member.beat, since));
            if sent.saturating_sub(since) >= LEASE + AdmissionLog::WINDOW && member.server != self.server {
                stopped.push(member);
            }
        }
        stopped
    }
}
