//! When a connection is cut: a table that is told what happens on it, and knows how long that may take.
//!
//! It has no clock and no timer of its own, so that it can be tested without waiting.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::HttpLimits;

/// How long a connection is let to close in order, once nothing runs on it.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a connection is waited for, and why it is cut when that does not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wait {
    /// For its first byte.
    FirstByte,
    /// For the rest of a head.
    Head,
    /// For a request to be answered and its answer to be taken.
    Request,
    /// For the peer to take bytes.
    Write,
    /// For the next request.
    Idle,
    /// For the peer to close it too.
    Farewell,
    /// For the peer to read, when all connections together have too many unread bytes.
    Unread,
}

impl Wait {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FirstByte => "first_byte",
            Self::Head => "head",
            Self::Request => "request",
            Self::Write => "write",
            Self::Idle => "idle",
            Self::Farewell => "farewell",
            Self::Unread => "unread",
        }
    }
}

#[derive(Debug)]
pub(super) struct Deadlines {
    limits: Arc<HttpLimits>,
    /// What is waited for between requests, and until when.
    between: (Wait, Instant),
    /// Each request that runs, and until when it may.
    running: Vec<(u64, Instant)>,
    /// Until when the peer must have taken what it does not take now.
    stalled: Option<Instant>,
    next: u64,
    multiplexed: bool,
    /// From here on the peer knows that the connection is being closed; a request that begins later is not waited for.
    known: Option<Instant>,
}

impl Deadlines {
    pub(super) fn new(limits: Arc<HttpLimits>, now: Instant) -> Self {
        let between = (Wait::FirstByte, now + limits.first_byte);
        Self { limits, between, running: Vec::new(), stalled: None, next: 0, multiplexed: false, known: None }
    }

    /// It speaks HTTP/2, where bytes may come at any time that belong to no request.
    pub(super) fn multiplexed(&mut self) {
        self.multiplexed = true;
    }

    pub(super) fn read(&mut self, now: Instant) {
        let begins = match self.between.0 {
            Wait::FirstByte => true,
            Wait::Idle => !self.multiplexed,
            _ => false,
        };
        if begins && self.running.is_empty() {
            self.between = (Wait::Head, now + self.limits.head);
        }
    }

    /// A head is complete; its request is known by the number from here on.
    pub(super) fn began(&mut self, now: Instant) -> u64 {
        self.next += 1;
        if self.known.is_some_and(|known| now > known) {
            return self.next;
        }
        // The answer comes in time by itself; this is for the body of it, and for what nobody thought of.
        self.running.push((self.next, now + self.limits.request + self.limits.write));
        self.next
    }

    pub(super) fn runs(&self, request: u64) -> bool {
        self.running.iter().any(|(running, _)| *running == request)
    }

    /// There is an answer; from here on it is the peer that is waited for.
    pub(super) fn answered(&mut self, request: u64, now: Instant) {
        if let Some((_, until)) = self.running.iter_mut().find(|(running, _)| *running == request) {
            *until = now + self.limits.write;
        }
    }

    /// The answer has gone to the peer, or nobody waits for it any longer.
    pub(super) fn ended(&mut self, request: u64, now: Instant) {
        let before = self.running.len();
        self.running.retain(|(running, _)| *running != request);
        if self.running.is_empty() && before > 0 {
            self.between = match self.between.0 {
                Wait::Farewell => (Wait::Farewell, now + FAREWELL),
                _ => (Wait::Idle, now + self.limits.idle),
            };
        }
    }

    /// The peer takes no more bytes.
    pub(super) fn stalled(&mut self, now: Instant) {
        // Not put off by the few bytes that a peer takes now and then to look alive.
        self.stalled.get_or_insert(now + self.limits.write);
    }

    /// The peer has taken all bytes.
    pub(super) fn flushed(&mut self) {
        self.stalled = None;
    }

    /// It is being closed. In HTTP/1 nothing more has to be said where no request runs; in HTTP/2 the peer is told which
    /// of its requests were the last, and says that it knows.
    pub(super) fn closing(&mut self, now: Instant) {
        self.farewell(if self.multiplexed { now + FAREWELL } else { now });
        self.known = Some(self.between.1);
    }

    /// The last byte has been written; all that is waited for is that the peer closes too.
    pub(super) fn shut(&mut self, now: Instant) {
        self.farewell(now + FAREWELL);
    }

    /// There is one, and it is neither put off nor brought forward.
    fn farewell(&mut self, until: Instant) {
        if self.between.0 != Wait::Farewell {
            self.between = (Wait::Farewell, until);
        }
    }

    /// What is waited for, and until when.
    pub(super) fn due(&self) -> (Wait, Instant) {
        let running = self.running.iter().map(|(_, until)| (Wait::Request, *until)).min_by_key(|(_, until)| *until);
        let stalled = self.stalled.map(|until| (Wait::Write, until));
        let first = running.into_iter().chain(stalled).min_by_key(|(_, until)| *until);
        first.unwrap_or(self.between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn table() -> (Deadlines, Instant) {
        let now = Instant::now();
        (Deadlines::new(Arc::new(HttpLimits::default()), now), now)
    }

    #[test]
    fn a_head_has_its_time_from_its_first_byte_however_slowly_it_comes() {
        let (mut table, t) = table();
        assert_eq!(table.due(), (Wait::FirstByte, t + s(10)));
        table.read(t + s(4));
        table.read(t + s(9));
        assert_eq!(table.due(), (Wait::Head, t + s(14)));
        let request = table.began(t + s(9));
        table.answered(request, t + s(9));
        table.ended(request, t + s(9));
        assert_eq!(table.due(), (Wait::Idle, t + s(84)));
        table.read(t + s(80));
        assert_eq!(table.due(), (Wait::Head, t + s(90)));
    }

    #[test]
    fn the_oldest_request_counts_and_then_the_peer() {
        let (mut table, t) = table();
        table.multiplexed();
        table.read(t);
        let (first, second) = (table.began(t), table.began(t + s(1)));
        assert_eq!(table.due(), (Wait::Request, t + s(25)));
        table.answered(second, t + s(2));
        assert_eq!(table.due(), (Wait::Request, t + s(12)));
        table.ended(second, t + s(3));
        assert_eq!(table.due(), (Wait::Request, t + s(25)));
        table.ended(first, t + s(3));
        assert_eq!(table.due(), (Wait::Idle, t + s(78)));
    }

    /// A ping is no request: neither does it begin a head, nor does it keep an idle connection.
    #[test]
    fn bytes_between_the_requests_of_http_2_change_nothing() {
        let (mut table, t) = table();
        table.multiplexed();
        let request = table.began(t);
        table.ended(request, t);
        table.read(t + s(60));
        assert_eq!(table.due(), (Wait::Idle, t + s(75)));
    }

    #[test]
    fn a_peer_that_takes_a_few_bytes_now_and_then_gains_no_time() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.answered(request, t);
        table.ended(request, t);
        table.stalled(t + s(1));
        table.stalled(t + s(9));
        assert_eq!(table.due(), (Wait::Write, t + s(11)));
        table.flushed();
        assert_eq!(table.due(), (Wait::Idle, t + s(75)));
    }

    #[test]
    fn what_runs_when_it_is_closed_is_let_to_its_end() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.closing(t);
        assert_eq!(table.due(), (Wait::Request, t + s(25)));
        table.ended(request, t + s(5));
        assert_eq!(table.due(), (Wait::Farewell, t + s(6)));
    }

    #[test]
    fn a_peer_that_asks_on_when_it_is_closed_gains_no_time() {
        let (mut table, t) = table();
        table.multiplexed();
        table.closing(t);
        let in_time = table.began(t + s(1));
        assert_eq!(table.due(), (Wait::Request, t + s(26)));
        let late = table.began(t + s(2));
        table.ended(in_time, t + s(2));
        assert_eq!(table.due(), (Wait::Farewell, t + s(3)));
        table.ended(late, t + s(3));
        assert_eq!(table.due(), (Wait::Farewell, t + s(3)));
    }

    #[test]
    fn a_peer_has_a_moment_to_close_too_and_no_second_one() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.ended(request, t);
        table.shut(t + s(2));
        table.shut(t + s(3));
        table.closing(t + s(2));
        assert_eq!(table.due(), (Wait::Farewell, t + s(3)));
    }

    #[test]
    fn half_a_head_is_not_waited_for_when_it_is_closed() {
        let (mut table, t) = table();
        table.read(t);
        table.closing(t + s(1));
        assert_eq!(table.due(), (Wait::Farewell, t + s(1)));
    }
}
