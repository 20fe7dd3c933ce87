//! The requests of one class: who may go, who waits for whom, and until when.

use std::{
    collections::{BTreeSet, VecDeque},
    future::poll_fn,
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

use crate::{
    retry::part_of,
    timer::Timer,
    transport::{Delivery, SendProgress},
};

/// The window of the contract.
const WINDOW: Duration = Duration::from_secs(60);
/// How often it is looked whether a request that takes longer than the window has its answer.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// After the service has refused, those who wait come back spread over this, so that the first to be refused again stops
/// the others.
const SPREAD: Duration = Duration::from_secs(1);

/// The requests of one class.
#[derive(Debug)]
pub(crate) struct Lane {
    limit: Option<NonZeroU32>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When each request was sent whose answer is not there, and a number that tells them apart.
    on_the_way: BTreeSet<(Duration, u64)>,
    /// When the answers came of the last 60 s, oldest first.
    answered: VecDeque<Duration>,
    /// Those who wait for their turn, in the order in which they came.
    queue: VecDeque<Waiter>,
    numbers: u64,
    /// Until then the service wants no request.
    closed_until: Duration,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    waker: Option<Waker>,
    /// Something has changed since it last looked.
    woken: bool,
}

/// Whether a request may go.
pub(crate) enum Turn<'l> {
    Go(Slot<'l>),
    /// Not before this moment; then it is to be asked again.
    Wait {
        until: Duration,
        refused: bool,
    },
}

impl Lane {
    pub(super) fn new(limit: Option<NonZeroU32>) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Takes a slot, if one is free and nobody has waited for it longer.
    pub(crate) fn turn<'a>(&'a self, timer: &'a dyn Timer, place: Option<&Place<'_>>) -> Turn<'a> {
        let mut state = self.lock();
        // Read under the lock, so that nothing is written down before what came earlier.
        let now = timer.now();
        if now < state.closed_until {
            return Turn::Wait { until: state.closed_until + part_of(SPREAD), refused: true };
        }
        if let Some(limit) = self.limit {
            state.forget(now);
            if let Some(until) = state.wait(now, limit, place.map(|place| place.number)) {
                return Turn::Wait { until, refused: false };
            }
        }
        let id = (now, state.number());
        if self.limit.is_some() {
            state.on_the_way.insert(id);
        }
        Turn::Go(Slot { lane: self, timer, id, sending: None })
    }

    /// A place behind all who wait already.
    pub(crate) fn queue(&self) -> Place<'_> {
        let mut state = self.lock();
        let number = state.number();
        state.queue.push_back(Waiter { number, waker: None, woken: false });
        Place { lane: self, number }
    }

    /// The service has refused: nobody sends before this moment.
    pub(crate) fn close(&self, until: Duration) {
        let mut state = self.lock();
        state.closed_until = state.closed_until.max(until);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn forget(&mut self, now: Duration) {
        while self.answered.front().is_some_and(|at| *at + WINDOW <= now) {
            self.answered.pop_front();
        }
    }

    /// Until when the one with this place waits at least, if it must. Whoever has no place comes after all who have.
    fn wait(&self, now: Duration, limit: NonZeroU32, place: Option<u64>) -> Option<Duration> {
        let limit = usize::try_from(limit.get()).unwrap_or(usize::MAX);
        let before =
            place.map_or(self.queue.len(), |number| self.queue.partition_point(|waiter| waiter.number < number));
        let free = limit.saturating_sub(self.on_the_way.len() + self.answered.len());
        // So many slots must come free before it is its turn: the first of them is number nought.
        let nth = before.checked_sub(free)?;
        let (windows, nth) = (u32::try_from(nth / limit).unwrap_or(u32::MAX), nth % limit);
        // A request whose answer is not there counts for a minute more at least.
        let mut taken: Vec<Duration> =
            self.on_the_way.iter().map(|(at, _)| *at).chain(self.answered.iter().copied()).collect();
        taken.sort_unstable();
        let first =
            taken.get(nth).map_or(now, |at| *at).saturating_add(WINDOW.saturating_mul(windows.saturating_add(1)));
        // One that has been on its way for longer than the window may have its answer at any moment.
        Some(if first > now { first } else { now + LOOK_AGAIN })
    }

    fn leave(&mut self, number: u64) {
        let at = self.queue.partition_point(|waiter| waiter.number < number);
        self.queue.remove(at);
    }

    /// Lets those look who may go now, or sooner than they think.
    fn wake(&mut self, most: usize) -> Vec<Waker> {
        let waiters = self.queue.iter_mut().take(most);
        waiters
            .filter_map(|waiter| {
                waiter.woken = true;
                waiter.waker.take()
            })
            .collect()
    }
}

/// A place among those who wait. Dropped, those behind move up.
pub(crate) struct Place<'l> {
    lane: &'l Lane,
    number: u64,
}

impl Place<'_> {
    /// Waits until there is reason to look again before the time.
    pub(crate) async fn moved(&self) {
        poll_fn(|cx| {
            let mut state = self.lane.lock();
            let at = state.queue.partition_point(|waiter| waiter.number < self.number);
            let Some(waiter) = state.queue.get_mut(at) else { return Poll::Ready(()) };
            if std::mem::take(&mut waiter.woken) {
                return Poll::Ready(());
            }
            waiter.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// It goes, and takes its slot along, so those behind wait for what they waited for.
    pub(crate) fn taken(self) {
        self.lane.lock().leave(self.number);
        std::mem::forget(self);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let woken = {
            let mut state = self.lane.lock();
            state.leave(self.number);
            state.wake(usize::MAX)
        };
        // Outside the lock: whoever is woken may ask for it at once.
        woken.into_iter().for_each(Waker::wake);
    }
}

/// The right to send one request. From the moment when it is dropped, be it that the answer is there or that the caller
/// has gone, the request counts for 60 s more, unless it was never sent.
pub(crate) struct Slot<'l> {
    lane: &'l Lane,
    timer: &'l dyn Timer,
    id: (Duration, u64),
    /// None while the service cannot have counted the request.
    sending: Option<SendProgress>,
}

impl Slot<'_> {
    /// Hands the request to the transport, which reports how far it gets.
    pub(crate) fn send(&mut self, progress: SendProgress) {
        self.sending = Some(progress);
    }

    /// The service does not count it after all.
    pub(crate) fn not_counted(&mut self) {
        self.sending = None;
    }

    fn counts(&self) -> bool {
        self.sending.as_ref().is_some_and(|progress| progress.delivery() == Delivery::MaybeSent)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if self.lane.limit.is_none() {
            return;
        }
        let woken = {
            let mut state = self.lane.lock();
            state.on_the_way.remove(&self.id);
            if self.counts() {
                state.answered.push_back(self.timer.now());
                Vec::new()
            } else {
                // All move up by one.
                state.wake(usize::MAX)
            }
        };
        woken.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests;
