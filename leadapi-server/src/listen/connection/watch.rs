//! A future that drives a connection. It cuts the connection when a deadline is missed, or when `UnreadBudget` selects
//! the connection because all unread responses together take too much memory, or when a new connection replaces an
//! idle one. It closes the connection gracefully when the connection is old or idle, or when the server stops.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep_until};
use tracing::debug;

use super::{deadlines::Wait, state::ConnectionState};
use crate::listen::{open_connections::OpenConnection, unread_responses::UnreadShare};

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum ConnectionEnd {
    /// The connection was closed gracefully, by the peer, or after an error.
    Closed,
    /// The server cut the connection, because the event that it waited for did not happen in time.
    TimedOut(Wait),
    /// The server cut the connection, because a new connection has replaced it at a limit.
    Replaced,
}

impl ConnectionEnd {
    /// The value of the metric's `wait` label for a replaced connection.
    pub(crate) const REPLACED: &str = "replaced";
}

pin_project! {
    pub(super) struct Watch<C> {
        #[pin]
        connection: C,
        stop: Pin<Box<dyn Future<Output = ()> + Send>>,
        #[pin]
        timer: Sleep,
        // The waker with which `stop` and `timer` were last polled.
        waiting: Option<Waker>,
        state: ConnectionState,
        unread: UnreadShare,
        open: OpenConnection,
        closing: bool,
    }
}

impl<C> Watch<C> {
    pub(super) fn new(connection: C, state: ConnectionState, unread: UnreadShare, open: OpenConnection) -> Self {
        let (ends, replaced) = (state.shutdown().clone().ends_connection(), open.replaced());
        let stop = Box::pin(async {
            tokio::select! {
                () = ends => {}
                // Only wakes the task.
                () = replaced => {}
            }
        });
        let due = state.with(|deadlines, _| deadlines.due().1);
        let timer = sleep_until(state.closes_at().map_or(due, |at| at.min(due)));
        Self { connection, stop, timer, waiting: None, state, unread, open, closing: false }
    }
}

impl<C: GracefulConnection<Error = hyper::Error>> Future for Watch<C> {
    type Output = ConnectionEnd;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // Invariant: while the future is pending, `timer` fires no later than the next deadline, and `stop` and `timer`
        // wake the current task. A deadline that moves earlier therefore resets the timer below, and a later one may
        // leave it: the timer then fires early, and the loop runs once more.
        //
        // If `stop` and `timer` already hold this waker, polling them again before they wake the task is unnecessary.
        let mut is_waiting =
            this.waiting.as_ref().is_some_and(|task| task.will_wake(cx.waker())) && this.state.shutdown().is_running();
        // The connection counts as busy while it is polled, so that no request begins on a connection that a new one
        // has replaced. It counts as idle again only after a poll that left no request in flight.
        if !this.open.begin() {
            return Poll::Ready(ConnectionEnd::Replaced);
        }
        loop {
            let now = this.state.stop_clock();
            // Polled first, so that a request that has just arrived counts as in flight when the deadlines are checked.
            let polled = this.connection.as_mut().poll(cx);
            let ((wait, due), idle) = this.state.start_clock();
            if let Poll::Ready(ended) = polled {
                if let Err(error) = ended {
                    debug!(%error, "a connection ended early");
                }
                return Poll::Ready(ConnectionEnd::Closed);
            }
            this.state.backlog().settle();
            if !this.unread.report(this.state.backlog().bytes(), due, cx.waker()) {
                return Poll::Ready(ConnectionEnd::TimedOut(Wait::Unread));
            }
            let is_due = due <= now;
            if is_due && (wait != Wait::Idle || *this.closing) {
                return Poll::Ready(ConnectionEnd::TimedOut(wait));
            }
            let mut stops = || !is_waiting && this.stop.as_mut().poll(cx).is_ready();
            let closes_at = this.state.closes_at();
            if !*this.closing && (is_due || closes_at.is_some_and(|at| at <= now) || stops()) {
                *this.closing = true;
                this.connection.as_mut().graceful_shutdown();
                this.state.with(|deadlines, _| deadlines.closing(now));
                continue;
            }
            let next = closes_at.filter(|_| !*this.closing).map_or(due, |at| at.min(due));
            // A later deadline is applied only once the timer fires, because almost every request postpones the
            // deadline and resetting the timer is expensive.
            if next < this.timer.deadline() || this.timer.is_elapsed() {
                this.timer.as_mut().reset(next);
                is_waiting = false;
            }
            let waits = is_waiting && now < this.timer.deadline();
            if waits || this.timer.as_mut().poll(cx).is_pending() {
                if !waits {
                    *this.waiting = Some(cx.waker().clone());
                }
                if let Some(idle) = idle {
                    this.open.idle(idle);
                }
                return Poll::Pending;
            }
        }
    }
}
