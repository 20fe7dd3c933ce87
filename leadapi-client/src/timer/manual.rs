//! A timer for tests.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use async_trait::async_trait;

use super::Timer;

/// A timer for tests. Its time stands still until the test advances it. Clones share the time.
///
/// ```
/// use std::{pin::pin, task::{Context, Waker}, time::Duration};
/// use leadapi_client::timer::{ManualTimer, Timer};
///
/// let (timer, mut cx) = (ManualTimer::new(), Context::from_waker(Waker::noop()));
/// let mut sleep = pin!(timer.sleep(Duration::from_secs(60)));
/// assert!(sleep.as_mut().poll(&mut cx).is_pending());
/// timer.advance(Duration::from_secs(60));
/// assert!(sleep.as_mut().poll(&mut cx).is_ready());
/// ```
#[derive(Debug, Clone, Default)]
pub struct ManualTimer(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    now: Duration,
    advances_itself: bool,
    /// The wakers of all sleeping tasks. The key is the deadline and the number of the sleep.
    sleeping: BTreeMap<(Duration, u64), Waker>,
    sleeps: u64,
}

impl ManualTimer {
    /// Creates a timer whose time advances only when the test advances it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::timer::{ManualTimer, Timer};
    /// assert_eq!(ManualTimer::new().now(), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a timer on which each sleep ends immediately and advances the time by its duration. An attempt that is
    /// not complete when it is first polled therefore times out.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::timer::{ManualTimer, Timer};
    /// # futures_executor::block_on(async {
    /// let timer = ManualTimer::auto_advance();
    /// timer.sleep(Duration::from_secs(60)).await;
    /// assert_eq!(timer.now(), Duration::from_secs(60));
    /// # });
    /// ```
    #[must_use]
    pub fn auto_advance() -> Self {
        Self(Arc::new(Mutex::new(State { advances_itself: true, ..State::default() })))
    }

    /// Advances the time, and wakes the tasks whose sleep ends.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::timer::{ManualTimer, Timer};
    /// let timer = ManualTimer::new();
    /// timer.advance(Duration::from_millis(5));
    /// assert_eq!(timer.now(), Duration::from_millis(5));
    /// ```
    pub fn advance(&self, by: Duration) {
        let woken = {
            let mut state = self.lock();
            let now = state.now + by;
            state.now = now;
            let later = state.sleeping.split_off(&(now, u64::MAX));
            mem::replace(&mut state.sleeping, later)
        };
        woken.into_values().for_each(Waker::wake);
    }

    /// Advances the time until the first of all sleeps ends. Returns false if no task sleeps.
    ///
    /// ```
    /// # use leadapi_client::timer::ManualTimer;
    /// assert!(!ManualTimer::new().advance_to_next());
    /// ```
    pub fn advance_to_next(&self) -> bool {
        let next = {
            let state = self.lock();
            state.sleeping.first_key_value().map(|((until, _), _)| until.saturating_sub(state.now))
        };
        next.map(|by| self.advance(by)).is_some()
    }

    fn poll_sleep(&self, id: (Duration, u64), cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.now >= id.0 {
            return Poll::Ready(());
        }
        state.sleeping.insert(id, cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard that removes a sleep's waker when the sleep ends or is dropped.
struct Sleep<'t>(&'t ManualTimer, (Duration, u64));

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        self.0.lock().sleeping.remove(&self.1);
    }
}

#[async_trait]
impl Timer for ManualTimer {
    fn now(&self) -> Duration {
        self.lock().now
    }

    async fn sleep(&self, duration: Duration) {
        let id = {
            let mut state = self.lock();
            if state.advances_itself {
                state.now += duration;
                return;
            }
            state.sleeps += 1;
            (state.now + duration, state.sleeps)
        };
        let sleep = Sleep(self, id);
        poll_fn(|cx| self.poll_sleep(sleep.1, cx)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[test]
    fn sleeps_end_in_order_and_a_dropped_one_is_forgotten() {
        let (timer, mut cx) = (ManualTimer::new(), Context::from_waker(Waker::noop()));
        let mut long = pin!(timer.sleep(Duration::from_secs(3)));
        let mut dropped = Box::pin(timer.sleep(Duration::from_secs(1)));
        let mut short = pin!(timer.sleep(Duration::from_secs(2)));
        assert!(long.as_mut().poll(&mut cx).is_pending());
        assert!(dropped.as_mut().poll(&mut cx).is_pending());
        assert!(short.as_mut().poll(&mut cx).is_pending());
        drop(dropped);
        assert!(timer.advance_to_next());
        assert_eq!(timer.now(), Duration::from_secs(2));
        assert!(short.as_mut().poll(&mut cx).is_ready());
        assert!(long.as_mut().poll(&mut cx).is_pending());
        assert!(timer.advance_to_next());
        assert!(long.as_mut().poll(&mut cx).is_ready());
        assert!(!timer.advance_to_next());
    }
}
