//! A connection that is cut at its deadline, and closed gracefully when it is old or idle, or when the server stops.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{Shared, Wait};
use crate::listen::unread::UnreadShare;

/// How a connection ended.
pub(super) enum End<E> {
    /// By itself, or gracefully.
    Closed(Result<(), E>),
    /// Cut, because what the server waited for did not happen.
    Cut(Wait),
}

pin_project! {
    pub(super) struct Watch<C, S> {
        #[pin]
        connection: C,
        #[pin]
        stop: S,
        #[pin]
        timer: Sleep,
        // The task that `stop` and `timer` will wake.
        waiting: Option<Waker>,
        shared: Shared,
        unread: UnreadShare,
        retires: Instant,
        closing: bool,
    }
}

impl<C, S> Watch<C, S> {
    /// Watches a connection until it ends. The connection is closed gracefully at `retires`, or when `stop`
    /// completes.
    pub(super) fn new(connection: C, shared: Shared, unread: UnreadShare, retires: Instant, stop: S) -> Self {
        let timer = sleep_until(shared.with(|table, _| table.due().1).min(retires));
        Self { connection, stop, timer, waiting: None, shared, unread, retires, closing: false }
    }
}

impl<C, S> Future for Watch<C, S>
where
    C: GracefulConnection,
    S: Future<Output = ()>,
{
    type Output = End<C::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // `stop` and `timer` were polled with this waker before, and wake this task when they are ready.
        let mut is_waiting =
            this.waiting.as_ref().is_some_and(|task| task.will_wake(cx.waker())) && this.shared.shutdown().is_running();
        loop {
            let now = this.shared.hold();
            // Polled first, so that a request that has arrived counts as running when the deadlines are checked.
            let polled = this.connection.as_mut().poll(cx);
            let (wait, due) = this.shared.release();
            if let Poll::Ready(ended) = polled {
                return Poll::Ready(End::Closed(ended));
            }
            this.shared.backlog().settle();
            if !this.unread.report(this.shared.backlog().bytes(), due, cx.waker()) {
                return Poll::Ready(End::Cut(Wait::Unread));
            }
            let is_due = due <= now;
            if is_due && (wait != Wait::Idle || *this.closing) {
                return Poll::Ready(End::Cut(wait));
            }
            let mut stops = || !is_waiting && this.stop.as_mut().poll(cx).is_ready();
            if !*this.closing && (is_due || *this.retires <= now || stops()) {
                *this.closing = true;
                this.connection.as_mut().graceful_shutdown();
                this.shared.with(|table, _| table.closing(now));
                continue;
            }
            let next = if *this.closing { due } else { due.min(*this.retires) };
            // A later deadline is applied only when the timer fires, because most deadlines move with each request.
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
