//! The deadlines of a connection: a state machine that records events and computes when the server must cut the
//! connection.
//!
//! The state machine has neither a clock nor a timer, so its tests run without waiting.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{limits::HttpLimits, listen::open_connections::IdleSince};

/// The time limit for a graceful close once no request is in flight.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The event that the server waits for on a connection. If the event does not happen in time, the server cuts the
/// connection and reports the missing event as the reason. An idle connection is first closed gracefully.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wait {
    /// The first byte of the connection.
    FirstByte,
    /// The rest of a request head.
    Head,
    /// The end of an exchange: the server answers, and the peer reads the response.
    Request,
    /// The end of a stalled write.
    Write,
    /// The start of the next request.
    Idle,
    /// The peer closing its side of the connection.
    Close,
    /// A read by the peer, while the unread bytes across all connections exceed their limit.
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
    /// The event that the server waits for between requests, and its deadline.
    between: (Wait, Instant),
    /// The exchanges that have not ended, and their deadlines.
    running: Vec<(u64, Instant)>,
    /// The deadline for the peer to accept all pending bytes, while a write is stalled.
    stalled: Option<Instant>,
    next: u64,
    multiplexed: bool,
    /// The time by which the peer must know that the connection is closing. The server does not wait for requests that
    /// begin later.
    known: Option<Instant>,
}

impl Deadlines {
    pub(super) fn new(limits: Arc<HttpLimits>, now: Instant) -> Self {
        let between = (Wait::FirstByte, now + limits.first_byte);
        Self { limits, between, running: Vec::new(), stalled: None, next: 0, multiplexed: false, known: None }
    }

    /// Marks the connection as HTTP/2, where bytes that belong to no request can arrive at any time.
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

    /// Records that a request head is complete, and returns a number that identifies the request.
    pub(super) fn began(&mut self, now: Instant) -> u64 {
        self.next += 1;
        if self.known.is_some_and(|known| now > known) {
            return self.next;
        }
        // The request timeout guarantees a response. This deadline also covers sending the response body, and acts as a
        // safety net.
        self.running.push((self.next, now + self.limits.request + self.limits.write));
        self.next
    }

    /// Records that a response is ready, and starts the timeout for the peer to read it.
    pub(super) fn answered(&mut self, request: u64, now: Instant) {
        if let Some((_, until)) = self.running.iter_mut().find(|(running, _)| *running == request) {
            *until = now + self.limits.write;
        }
    }

    /// Records the end of an exchange.
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

    pub(super) fn stalled(&mut self, now: Instant) {
        // A peer cannot extend the deadline by reading a few bytes now and then.
        self.stalled.get_or_insert(now + self.limits.write);
    }

    /// Records that all bytes have been written.
    pub(super) fn flushed(&mut self) {
        self.stalled = None;
    }

    /// Records that the connection is closing. Over HTTP/1, a connection without a request in flight can close
    /// immediately. Over HTTP/2, the server first announces the close with a GOAWAY frame, and waits for the peer to
    /// answer a PING frame.
    pub(super) fn closing(&mut self, now: Instant) {
        self.close(if self.multiplexed { now + CLOSE_TIMEOUT } else { now });
        self.known = Some(self.between.1);
    }

    /// Records that the server has closed its side of the connection. The peer has yet to close its own side.
    pub(super) fn shut(&mut self, now: Instant) {
        self.close(now + CLOSE_TIMEOUT);
    }

    /// Sets the deadline for the close. Later calls have no effect.
    fn close(&mut self, until: Instant) {
        if self.between.0 != Wait::Close {
            self.between = (Wait::Close, until);
        }
    }

    /// Returns since when the connection is idle, or `None` if a request is in flight or the connection is closing.
    pub(super) fn idle_since(&self) -> Option<IdleSince> {
        let (wait, until) = self.between;
        let timeout = match wait {
            Wait::FirstByte => self.limits.first_byte,
            Wait::Head => self.limits.head,
            Wait::Idle => self.limits.idle,
            _ => return None,
        };
        let is_idle = self.running.is_empty() && self.stalled.is_none();
        let since = until.checked_sub(timeout).filter(|_| is_idle)?;
        Some(IdleSince { since, has_served: self.next > 0 })
    }

    /// Returns the event that the server waits for, and its deadline.
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

    /// An HTTP/2 ping is not a request, so it must neither start the head timeout nor keep an idle connection open.
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
    fn the_close_timeout_is_not_extended() {
        let (mut table, t) = table();
        let request = table.began(t);
        table.ended(request, t);
        table.shut(t + s(2));
        table.shut(t + s(3));
        table.closing(t + s(2));
        assert_eq!(table.due(), (Wait::Close, t + s(3)));
    }

    #[test]
    fn a_closing_connection_does_not_wait_for_an_incomplete_head() {
        let (mut table, t) = table();
        table.read(t);
        table.closing(t + s(1));
        assert_eq!(table.due(), (Wait::Close, t + s(1)));
    }
}
