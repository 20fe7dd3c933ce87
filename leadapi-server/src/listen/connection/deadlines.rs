//! The deadlines of a connection: a table that records what happens on the connection and computes when to cut it.
//!
//! The table has no clock and no timer, so its tests need not wait.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::limits::HttpLimits;

/// How long a connection may take to close gracefully once no request runs on it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// What the server waits for on a connection, which is the reason for cutting it when that does not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wait {
    /// For the first byte.
    FirstByte,
    /// For the rest of a head.
    Head,
    /// For a request to be answered and its response to be taken.
    Request,
    /// For the peer to take bytes.
    Write,
    /// For the next request.
    Idle,
    /// For the peer to close the connection too.
    Close,
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
            Self::Close => "farewell",
            Self::Unread => "unread",
        }
    }
}

#[derive(Debug)]
pub(super) struct Deadlines {
    limits: Arc<HttpLimits>,
    /// What the server waits for between requests, and until when.
    between: (Wait, Instant),
    /// The running requests, each with its deadline.
    running: Vec<(u64, Instant)>,
    /// When the peer must have taken the bytes that it does not take now.
    stalled: Option<Instant>,
    next: u64,
    multiplexed: bool,
    /// When the peer knows that the connection is closing. The server does not wait for a request that begins later.
    known: Option<Instant>,
}

impl Deadlines {
    pub(super) fn new(limits: Arc<HttpLimits>, now: Instant) -> Self {
        let between = (Wait::FirstByte, now + limits.first_byte);
        Self { limits, between, running: Vec::new(), stalled: None, next: 0, multiplexed: false, known: None }
    }

    /// Marks the connection as HTTP/2, where bytes that belong to no request may arrive at any time.
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

    /// Records a complete head and returns the number of its request.
    pub(super) fn began(&mut self, now: Instant) -> u64 {
        self.next += 1;
        if self.known.is_some_and(|known| now > known) {
            return self.next;
        }
        // The request timeout ensures a response; this deadline also covers the response body and anything
        // unforeseen.
        self.running.push((self.next, now + self.limits.request + self.limits.write));
        self.next
    }

    /// Records a response; the peer must take it in time.
    pub(super) fn answered(&mut self, request: u64, now: Instant) {
        if let Some((_, until)) = self.running.iter_mut().find(|(running, _)| *running == request) {
            *until = now + self.limits.write;
        }
    }

    /// Records that the response was sent to the peer, or that no peer waits for it.
    pub(super) fn ended(&mut self, request: u64, now: Instant) {
        let before = self.running.len();
        self.running.retain(|(running, _)| *running != request);
        if self.running.is_empty() && before > 0 {
            self.between = match self.between.0 {
                Wait::Close => (Wait::Close, now + CLOSE_TIMEOUT),
                _ => (Wait::Idle, now + self.limits.idle),
            };
        }
    }

    /// Records that the peer takes no bytes.
    pub(super) fn stalled(&mut self, now: Instant) {
        // Not extended by the few bytes that a peer takes now and then to look alive.
        self.stalled.get_or_insert(now + self.limits.write);
    }

    /// Records that the peer has taken all bytes.
    pub(super) fn flushed(&mut self) {
        self.stalled = None;
    }

    /// Records that the connection is closing. In HTTP/1 nothing is left to exchange if no request runs. In HTTP/2
    /// the server announces the last request that it accepts, and the peer acknowledges that.
    pub(super) fn closing(&mut self, now: Instant) {
        self.close(if self.multiplexed { now + CLOSE_TIMEOUT } else { now });
        self.known = Some(self.between.1);
    }

    /// Records that the last byte has been written. Only the peer's close is still missing.
    pub(super) fn shut(&mut self, now: Instant) {
        self.close(now + CLOSE_TIMEOUT);
    }

    /// Sets the final deadline once; a later call neither extends nor shortens it.
    fn close(&mut self, until: Instant) {
        if self.between.0 != Wait::Close {
            self.between = (Wait::Close, until);
        }
    }

    /// Returns what the server waits for, and until when.
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
    fn the_head_timeout_starts_at_the_first_byte() {
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
    fn the_oldest_request_determines_the_deadline() {
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

    /// A ping is not a request: it neither begins a head nor keeps an idle connection open.
    #[test]
    fn http_2_bytes_between_requests_do_not_extend_the_idle_deadline() {
        let (mut table, t) = table();
        table.multiplexed();
        let request = table.began(t);
        table.ended(request, t);
        table.read(t + s(60));
        assert_eq!(table.due(), (Wait::Idle, t + s(75)));
    }

    #[test]
    fn slow_reads_do_not_extend_the_write_deadline() {
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
    fn a_closing_connection_waits_for_its_requests() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.closing(t);
        assert_eq!(table.due(), (Wait::Request, t + s(25)));
        table.ended(request, t + s(5));
        assert_eq!(table.due(), (Wait::Close, t + s(6)));
    }

    #[test]
    fn requests_after_the_close_do_not_extend_the_deadline() {
        let (mut table, t) = table();
        table.multiplexed();
        table.closing(t);
        let in_time = table.began(t + s(1));
        assert_eq!(table.due(), (Wait::Request, t + s(26)));
        let late = table.began(t + s(2));
        table.ended(in_time, t + s(2));
        assert_eq!(table.due(), (Wait::Close, t + s(3)));
        table.ended(late, t + s(3));
        assert_eq!(table.due(), (Wait::Close, t + s(3)));
    }

    #[test]
    fn a_peer_has_one_close_timeout_only() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.ended(request, t);
        table.shut(t + s(2));
        table.shut(t + s(3));
        table.closing(t + s(2));
        assert_eq!(table.due(), (Wait::Close, t + s(3)));
    }

    #[test]
    fn a_closing_connection_does_not_wait_for_half_a_head() {
        let (mut table, t) = table();
        table.read(t);
        table.closing(t + s(1));
        assert_eq!(table.due(), (Wait::Close, t + s(1)));
    }
}
