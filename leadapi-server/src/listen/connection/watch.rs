//! A future that drives a connection. It cuts the connection when a deadline is missed, or when `UnreadBudget` selects
//! the connection because all unread responses together take too much memory. It closes the connection gracefully when
//! the connection is old or idle, or when the server stops.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::debug;

use super::{deadlines::Wait, state::ConnectionState};
use crate::listen::unread_responses::UnreadShare;

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum ConnectionEnd {
    /// The connection was closed gracefully, by the peer, or after an error.
    Closed,
    /// The server cut the connection, because the event that it waited for did not happen in time.
    TimedOut(Wait),
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
        retires: Instant,
        closing: bool,
    }
}

impl<C> Watch<C> {
    /// Wraps a connection, which will be closed gracefully at `retires` at the latest.
    pub(super) fn new(connection: C, state: ConnectionState, unread: UnreadShare, retires: Instant) -> Self {
        let stop = Box::pin(state.shutdown().clone().ends_connection());
        let timer = sleep_until(state.with(|deadlines, _| deadlines.due().1).min(retires));
        Self { connection, stop, timer, waiting: None, state, unread, retires, closing: false }
    }
}

impl<C: GracefulConnection<Error = hyper::Error>> Future for Watch<C> {
    type Output = ConnectionEnd;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // If `stop` and `timer` already hold this waker, polling them again before they wake the task is unnecessary.
        let mut is_waiting =
            this.waiting.as_ref().is_some_and(|task| task.will_wake(cx.waker())) && this.state.shutdown().is_running();
        loop {
            let now = this.state.stop_clock();
            // Polled first, so that a request that has just arrived counts as in flight when the deadlines are checked.
            let polled = this.connection.as_mut().poll(cx);
            let (wait, due) = this.state.start_clock();
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
            if !*this.closing && (is_due || *this.retires <= now || stops()) {
                *this.closing = true;
                this.connection.as_mut().graceful_shutdown();
                this.state.with(|deadlines, _| deadlines.closing(now));
                continue;
            }
            let next = if *this.closing { due } else { due.min(*this.retires) };
            // A later deadline is applied only once the timer fires, because almost every request postpones the
            // deadline and resetting the timer is expensive.
            if next < this.timer.deadline() || this.timer.is_elapsed() {
                this.timer.as_mut().reset(next);
                is_waiting = false;
            }
            if is_waiting && now < this.timer.deadline() {
                return Poll::Pending;
            }
            if this.timer.as_mut().poll(cx).is_pending() {
                *this.waiting = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
    }
}
