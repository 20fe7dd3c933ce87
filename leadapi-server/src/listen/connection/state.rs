//! The state that a connection's stream, exchanges and `Watch` share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(test)]
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{
    backlog::Backlog,
    deadlines::{Deadlines, Wait},
    protocol::Protocol,
};
use crate::{listen::open_connections::IdleSince, shutdown::Shutdown};

#[derive(Clone)]
pub(super) struct ConnectionState(Arc<State>);

struct State {
    shutdown: Shutdown,
    is_http1: bool,
    /// The time at which the connection has reached its maximum age.
    retires: Instant,
    backlog: Backlog,
    table: Mutex<Table>,
    /// Dropped only after the last exchange. Over HTTP/2, a request can be waiting for its first poll when its
    /// connection has already closed, and a shutdown must wait for it.
    _open: TaskTrackerToken,
}

struct Table {
    deadlines: Deadlines,
    /// The time at which the current poll began, or `None` between polls. All events of a poll share this time, because
    /// reading the clock for each event would cost more than handling it.
    now: Option<Instant>,
}

impl ConnectionState {
    pub(super) fn new(
        deadlines: Deadlines,
        protocol: Protocol,
        backlog: Backlog,
        shutdown: Shutdown,
        retires: Instant,
    ) -> Self {
        let table = Mutex::new(Table { deadlines, now: None });
        let is_http1 = protocol == Protocol::Http1;
        Self(Arc::new(State { _open: shutdown.track_connection(), shutdown, is_http1, retires, backlog, table }))
    }

    /// Returns whether the connection has reached its maximum age at this time.
    pub(super) fn is_retired(&self, now: Instant) -> bool {
        self.0.retires <= now
    }

    /// Returns the time at which the connection must close gracefully because of its age, even if it is idle. An HTTP/1
    /// connection stays open until its next response, which announces the close. Otherwise, the peer might send a
    /// request just as the server closes the connection.
    pub(super) fn closes_at(&self) -> Option<Instant> {
        (!self.0.is_http1).then_some(self.0.retires)
    }

    pub(super) fn shutdown(&self) -> &Shutdown {
        &self.0.shutdown
    }

    pub(super) fn backlog(&self) -> &Backlog {
        &self.0.backlog
    }

    /// Records that the kernel has accepted everything written so far.
    pub(super) fn flushed(&self) {
        // Over HTTP/2, part of a response may still be waiting for flow control.
        if self.0.is_http1 {
            self.0.backlog.flushed();
        }
    }

    /// Calls `event` with the deadlines and the current time.
    pub(super) fn with<T>(&self, event: impl FnOnce(&mut Deadlines, Instant) -> T) -> T {
        let mut table = self.lock();
        let now = table.now.unwrap_or_else(Instant::now);
        event(&mut table.deadlines, now)
    }

    /// Ends an exchange. Its response has been written or dropped or, over HTTP/1, will be written by the next flush.
    pub(super) fn end(&self, exchange: u64, unread: usize) {
        if self.0.is_http1 {
            self.0.backlog.mark_buffered(unread);
        } else {
            self.0.backlog.remove(unread);
            self.0.backlog.settle();
        }
        self.with(|deadlines, now| deadlines.ended(exchange, now));
    }

    /// Stops the clock at the start of a poll.
    pub(super) fn stop_clock(&self) -> Instant {
        *self.lock().now.insert(Instant::now())
    }

    /// Restarts the clock. Returns the next event that the server waits for with its deadline, and since when the
    /// connection is idle.
    pub(super) fn start_clock(&self) -> ((Wait, Instant), Option<IdleSince>) {
        let mut table = self.lock();
        table.now = None;
        (table.deadlines.due(), table.deadlines.idle_since())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // A panic while the lock is held cannot leave the table inconsistent.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl ConnectionState {
    pub(super) fn new_for_tests() -> Self {
        let gauge = prometheus::IntGauge::new("unread", "unread").unwrap();
        let deadlines = Deadlines::new(Arc::default(), Instant::now());
        let backlog = Backlog::new(1, crate::listen::unread_responses::UnreadBudget::new(1, gauge));
        Self::new(deadlines, Protocol::Http1, backlog, Shutdown::new().1, Instant::now() + Duration::from_secs(60))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::listen::connection::exchange::Exchange;

    /// Spins until the clock has advanced.
    fn pass_time() {
        let begun = Instant::now();
        while Instant::now() == begun {}
    }

    #[test]
    fn a_shutdown_waits_for_the_requests_of_a_closed_connection() {
        let state = ConnectionState::new_for_tests();
        let shutdown = state.shutdown().clone();
        let request = Exchange::begin(&state);
        drop(state);
        assert!(shutdown.connections_ended().now_or_never().is_none());
        drop(request);
        assert!(shutdown.connections_ended().now_or_never().is_some());
    }

    #[test]
    fn the_clock_is_stopped_only_while_the_connection_is_polled() {
        let state = ConnectionState::new_for_tests();
        let now = || state.with(|_, now| now);
        let stopped = state.stop_clock();
        pass_time();
        assert_eq!(now(), stopped);
        state.start_clock();
        pass_time();
        assert!(now() > stopped);
    }
}
