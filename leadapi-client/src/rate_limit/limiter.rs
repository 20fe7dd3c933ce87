//! The client-side rate limit for one class of requests: a sliding window and a queue of waiting calls.

use std::{
    collections::{BTreeSet, VecDeque},
    future::poll_fn,
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

use crate::{
    retry::full_jitter,
    timer::Timer,
    transport::{Delivery, SendProgress},
};

/// The length of the contract's sliding window.
const WINDOW: Duration = Duration::from_secs(60);
/// How often a waiting call checks for the completion of requests that have been in flight for longer than the window.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// After the pause for a 429, waiting calls resume at random times within this period. If another 429 arrives, the
/// calls that have not resumed keep waiting.
const SPREAD: Duration = Duration::from_secs(1);

/// The rate limiter for one class of requests.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    limit: Option<NonZeroU32>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The times of the permits of the in-flight requests, each with an id that distinguishes equal times.
    in_flight: BTreeSet<(Duration, u64)>,
    /// The times at which counted requests completed in the last 60 s, oldest first.
    completed: VecDeque<Duration>,
    /// The waiting calls, in arrival order.
    queue: VecDeque<Waiter>,
    last_id: u64,
    /// After a 429, no request is sent before this time.
    paused_until: Duration,
}

#[derive(Debug)]
struct Waiter {
    id: u64,
    waker: Option<Waker>,
    /// Whether the call has been notified since it last checked.
    notified: bool,
}

/// The result of [`RateLimiter::try_acquire`].
pub(crate) enum Acquire<'l> {
    Granted(Permit<'l>),
    /// No permit is available now. The caller should try again at `until`. `refused` is true if the call must wait
    /// because of a 429.
    Wait {
        until: Duration,
        refused: bool,
    },
}

impl RateLimiter {
    pub(super) fn new(limit: Option<NonZeroU32>) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Returns a permit if a permit is free and no earlier call is waiting for it. Otherwise, returns the time at which
    /// to try again.
    pub(crate) fn try_acquire<'a>(&'a self, timer: &'a dyn Timer, ticket: Option<&Ticket<'_>>) -> Acquire<'a> {
        let mut state = self.lock();
        // Read the clock under the lock, so that times are recorded in order.
        let now = timer.now();
        if now < state.paused_until {
            return Acquire::Wait { until: state.paused_until + full_jitter(SPREAD), refused: true };
        }
        if let Some(limit) = self.limit {
            state.expire(now);
            if let Some(until) = state.earliest(now, limit, ticket.map(|ticket| ticket.id)) {
                return Acquire::Wait { until, refused: false };
            }
        }
        let id = (now, state.next_id());
        if self.limit.is_some() {
            state.in_flight.insert(id);
        }
        Acquire::Granted(Permit { limiter: self, timer, id, progress: None })
    }

    /// Adds a call to the end of the queue.
    pub(crate) fn enqueue(&self) -> Ticket<'_> {
        let mut state = self.lock();
        let id = state.next_id();
        state.queue.push_back(Waiter { id, waker: None, notified: false });
        Ticket { limiter: self, id }
    }

    /// Holds back all requests until this time, because the service has responded with 429.
    pub(crate) fn pause_until(&self, until: Duration) {
        let mut state = self.lock();
        state.paused_until = state.paused_until.max(until);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Removes the requests that have left the window.
    fn expire(&mut self, now: Duration) {
        while self.completed.front().is_some_and(|at| *at + WINDOW <= now) {
            self.completed.pop_front();
        }
    }

    /// Returns the earliest time at which the call with this ticket may send, or `None` if it may send now. A call
    /// without a ticket comes after all queued calls.
    fn earliest(&self, now: Duration, limit: NonZeroU32, ticket: Option<u64>) -> Option<Duration> {
        let limit = usize::try_from(limit.get()).unwrap_or(usize::MAX);
        let before = ticket.map_or(self.queue.len(), |id| self.queue.partition_point(|waiter| waiter.id < id));
        let free = limit.saturating_sub(self.in_flight.len() + self.completed.len());
        // The call needs the nth permit that becomes free, counted from 0.
        let nth = before.checked_sub(free)?;
        let (windows, nth) = (u32::try_from(nth / limit).unwrap_or(u32::MAX), nth % limit);
        // An in-flight request counts for at least one window after it received its permit.
        let mut used: Vec<Duration> =
            self.in_flight.iter().map(|(at, _)| *at).chain(self.completed.iter().copied()).collect();
        used.sort_unstable();
        let first =
            used.get(nth).map_or(now, |at| *at).saturating_add(WINDOW.saturating_mul(windows.saturating_add(1)));
        // A request that has been in flight for longer than the window may complete at any time, so check again soon.
        Some(if first > now { first } else { now + POLL_INTERVAL })
    }

    fn dequeue(&mut self, id: u64) {
        let at = self.queue.partition_point(|waiter| waiter.id < id);
        self.queue.remove(at);
    }

    /// Marks all waiting calls as notified, because they may be able to send earlier than expected. Returns their
    /// wakers for the caller to wake.
    fn notify_all(&mut self) -> Vec<Waker> {
        self.queue
            .iter_mut()
            .filter_map(|waiter| {
                waiter.notified = true;
                waiter.waker.take()
            })
            .collect()
    }
}

/// A position in the queue. When it is dropped, the calls behind it move up.
pub(crate) struct Ticket<'l> {
    limiter: &'l RateLimiter,
    id: u64,
}

impl Ticket<'_> {
    /// Waits for a notification that the call may be able to send earlier than expected.
    pub(crate) async fn notified(&self) {
        poll_fn(|cx| {
            let mut state = self.limiter.lock();
            let at = state.queue.partition_point(|waiter| waiter.id < self.id);
            let Some(waiter) = state.queue.get_mut(at) else { return Poll::Ready(()) };
            if std::mem::take(&mut waiter.notified) {
                return Poll::Ready(());
            }
            waiter.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Removes the call from the queue after it received a permit. Does not notify the calls behind it, because they
    /// cannot send any earlier.
    pub(crate) fn redeem(self) {
        self.limiter.lock().dequeue(self.id);
        std::mem::forget(self);
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let wakers = {
            let mut state = self.limiter.lock();
            state.dequeue(self.id);
            state.notify_all()
        };
        // Wake outside the lock, because a woken task may acquire the lock immediately.
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Permission to send one request. It is dropped when the attempt completes or the call is cancelled. The request then
/// counts towards the limit for another 60 s, unless it was not sent or the service did not count it.
pub(crate) struct Permit<'l> {
    limiter: &'l RateLimiter,
    timer: &'l dyn Timer,
    id: (Duration, u64),
    /// `None` while the service cannot have counted the request.
    progress: Option<SendProgress>,
}

impl Permit<'_> {
    /// Records that the transport has the request. It reports in `progress` whether it has sent the request.
    pub(crate) fn start_sending(&mut self, progress: SendProgress) {
        self.progress = Some(progress);
    }

    /// Records that the service does not count the request towards its rate limit.
    pub(crate) fn mark_uncounted(&mut self) {
        self.progress = None;
    }

    fn counts(&self) -> bool {
        self.progress.as_ref().is_some_and(|progress| progress.delivery() == Delivery::MaybeSent)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.limiter.limit.is_none() {
            return;
        }
        let wakers = {
            let mut state = self.limiter.lock();
            state.in_flight.remove(&self.id);
            if self.counts() {
                state.completed.push_back(self.timer.now());
                Vec::new()
            } else {
                // The request does not count, so every waiting call moves up by one.
                state.notify_all()
            }
        };
        wakers.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests;
