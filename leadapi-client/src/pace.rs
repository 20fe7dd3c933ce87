//! The client's own part in the rate limit (contract 8): it does not send what would be refused.

use std::{
    collections::{BTreeSet, VecDeque},
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use leadapi_core::{auth::Scope, http::Operation};

use crate::{retry::part_of, timer::Timer};

/// How many requests the client sends in any 60 s, all its clones together.
///
/// The default is what the contract allows to a token: 600 reads and 60 writes. So a program that has a token for itself
/// never meets a 429; one that shares it waits as the service asks.
///
/// A request counts from the moment its answer is there, and before that without an end: only then is it certain to have
/// left the service's window 60 s later, however long it was on its way.
///
/// ```
/// use leadapi_client::{Client, Pacing};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// # let (service, token) = support::service();
/// // A server of one's own, with higher limits.
/// let pacing = Pacing::default().reads(6_000).writes(600);
/// let client = Client::builder("http://in-process/v1", token).pacing(pacing).in_process(service)?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    reads: Option<NonZeroU32>,
    writes: Option<NonZeroU32>,
}

impl Default for Pacing {
    fn default() -> Self {
        Self::off().reads(600).writes(60)
    }
}

impl Pacing {
    /// Sends as fast as the caller asks, and waits only when the service says so.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// assert_eq!(Pacing::off(), Pacing::default().reads(0).writes(0));
    /// ```
    #[must_use]
    pub const fn off() -> Self {
        Self { reads: None, writes: None }
    }

    /// At most so many GET in any 60 s; 0 is no limit.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// let half = Pacing::default().reads(300);
    /// # assert_ne!(half, Pacing::default());
    /// ```
    #[must_use]
    pub const fn reads(mut self, reads: u32) -> Self {
        self.reads = NonZeroU32::new(reads);
        self
    }

    /// At most so many POST, PATCH and DELETE in any 60 s; 0 is no limit.
    ///
    /// ```
    /// # use leadapi_client::Pacing;
    /// let half = Pacing::default().writes(30);
    /// # assert_ne!(half, Pacing::default());
    /// ```
    #[must_use]
    pub const fn writes(mut self, writes: u32) -> Self {
        self.writes = NonZeroU32::new(writes);
        self
    }
}

/// The window of the contract.
const WINDOW: Duration = Duration::from_secs(60);
/// How often it is looked whether a request that takes longer than the window has its answer.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// After the service has refused, those who wait come back spread over this, so that the first to be refused again stops
/// the others.
const SPREAD: Duration = Duration::from_secs(1);

/// Both classes of requests, which the service counts apart.
#[derive(Debug)]
pub(crate) struct Pace {
    reads: Lane,
    writes: Lane,
}

impl Pace {
    pub(crate) fn new(pacing: Pacing) -> Self {
        Self { reads: Lane::new(pacing.reads), writes: Lane::new(pacing.writes) }
    }

    pub(crate) fn lane(&self, operation: Operation) -> &Lane {
        match operation.endpoint().scope {
            Scope::Read => &self.reads,
            Scope::Write => &self.writes,
        }
    }
}

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
    numbers: u64,
    /// Until then the service wants no request.
    closed_until: Duration,
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
    fn new(limit: Option<NonZeroU32>) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Takes a slot, if one is free.
    pub(crate) fn turn<'a>(&'a self, timer: &'a dyn Timer) -> Turn<'a> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that nothing is written down before what came earlier.
        let now = timer.now();
        if now < state.closed_until {
            return Turn::Wait { until: state.closed_until + part_of(SPREAD), refused: true };
        }
        while state.answered.front().is_some_and(|at| *at + WINDOW <= now) {
            state.answered.pop_front();
        }
        let taken = state.on_the_way.len() + state.answered.len();
        if self.limit.is_some_and(|limit| u32::try_from(taken).is_ok_and(|taken| taken >= limit.get())) {
            let sent = state.on_the_way.first().map(|(at, _)| at);
            let first = sent.into_iter().chain(state.answered.front()).min().copied().unwrap_or(now);
            // One that has been on its way for longer than the window may have its answer at any moment.
            let until = if first + WINDOW > now { first + WINDOW } else { now + LOOK_AGAIN };
            return Turn::Wait { until, refused: false };
        }
        state.numbers += 1;
        let id = (now, state.numbers);
        if self.limit.is_some() {
            state.on_the_way.insert(id);
        }
        Turn::Go(Slot { lane: self, timer, id, counts: false })
    }

    /// The service has refused: nobody sends before this moment.
    pub(crate) fn close(&self, until: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed_until = state.closed_until.max(until);
    }
}

/// The right to send one request. From the moment when it is dropped, be it that the answer is there or that the caller
/// has gone, the request counts for 60 s more, unless it was never sent.
pub(crate) struct Slot<'l> {
    lane: &'l Lane,
    timer: &'l dyn Timer,
    id: (Duration, u64),
    counts: bool,
}

impl Slot<'_> {
    /// The request is about to leave.
    pub(crate) const fn sent(&mut self) {
        self.counts = true;
    }

    /// Nothing has left after all.
    pub(crate) const fn not_sent(&mut self) {
        self.counts = false;
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if self.lane.limit.is_none() {
            return;
        }
        let mut state = self.lane.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.on_the_way.remove(&self.id);
        if self.counts {
            state.answered.push_back(self.timer.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;

    use super::*;

    /// Time that a test moves.
    #[derive(Debug, Default)]
    struct Hand(Mutex<Duration>);

    impl Hand {
        fn at(&self, millis: u64) {
            *self.0.lock().unwrap() = Duration::from_millis(millis);
        }
    }

    #[async_trait]
    impl Timer for Hand {
        fn now(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        async fn sleep(&self, _: Duration) {}
    }

    fn lane(limit: u32) -> (Lane, Arc<Hand>) {
        (Lane::new(NonZeroU32::new(limit)), Arc::default())
    }

    fn go<'a>(lane: &'a Lane, hand: &'a Hand) -> Slot<'a> {
        match lane.turn(hand) {
            Turn::Go(mut slot) => {
                slot.sent();
                slot
            }
            Turn::Wait { until, .. } => panic!("to wait until {until:?}"),
        }
    }

    fn wait(lane: &Lane, hand: &Hand) -> (u64, bool) {
        match lane.turn(hand) {
            Turn::Go(_) => panic!("not to wait"),
            Turn::Wait { until, refused } => (u64::try_from(until.as_millis()).unwrap(), refused),
        }
    }

    #[test]
    fn a_request_counts_until_a_minute_after_its_answer() {
        let (lane, hand) = lane(2);
        let first = go(&lane, &hand);
        hand.at(1_000);
        drop(go(&lane, &hand));
        assert_eq!(wait(&lane, &hand), (60_000, false), "the first may have its answer at once");
        hand.at(4_000);
        drop(first);
        assert_eq!(wait(&lane, &hand), (61_000, false));
        hand.at(60_999);
        assert_eq!(wait(&lane, &hand), (61_000, false));
        hand.at(61_000);
        drop(go(&lane, &hand));
        assert_eq!(wait(&lane, &hand), (64_000, false));
    }

    #[test]
    fn one_that_takes_longer_than_the_window_is_looked_after() {
        let (lane, hand) = lane(1);
        let slow = go(&lane, &hand);
        hand.at(90_000);
        assert_eq!(wait(&lane, &hand), (90_050, false));
        drop(slow);
        assert_eq!(wait(&lane, &hand), (150_000, false));
    }

    #[test]
    fn what_was_not_sent_does_not_count() {
        let (lane, hand) = lane(1);
        for _ in 0..3 {
            go(&lane, &hand).not_sent();
        }
        let unused = lane.turn(&*hand);
        assert!(matches!(unused, Turn::Go(_)));
        drop(unused);
        drop(go(&lane, &hand));
        assert_eq!(wait(&lane, &hand), (60_000, false));
    }

    #[test]
    fn a_refusal_stops_all_and_never_for_less() {
        let (lane, hand) = lane(100);
        lane.close(Duration::from_secs(17));
        lane.close(Duration::from_secs(3));
        for _ in 0..50 {
            let (until, refused) = wait(&lane, &hand);
            assert!(refused && (17_000..=18_000).contains(&until), "{until}");
        }
        hand.at(17_000);
        drop(go(&lane, &hand));
    }

    #[test]
    fn without_a_limit_nothing_is_kept() {
        let lane = Lane::new(None);
        let hand = Hand::default();
        let slots: Vec<Slot<'_>> = (0..1_000).map(|_| go(&lane, &hand)).collect();
        drop(slots);
        let state = lane.state.lock().unwrap();
        assert!(state.on_the_way.is_empty() && state.answered.is_empty());
    }
}
