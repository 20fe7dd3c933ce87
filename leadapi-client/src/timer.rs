//! The client's clock and sleep.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Poll, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use async_trait::async_trait;

/// The clock that a client uses for rate limiting, backoff and timeouts.
///
/// The default is [`SystemTimer`]. The builder accepts another one, such as that of another runtime, or one that a
/// test controls.
///
/// ```
/// use std::{sync::Mutex, time::Duration};
/// use leadapi_client::{Client, timer::Timer};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// /// Time that passes only when somebody waits, and then at once.
/// #[derive(Default)]
/// struct Leaping(Mutex<Duration>);
///
/// #[async_trait::async_trait]
/// impl Timer for Leaping {
///     fn now(&self) -> Duration {
///         *self.0.lock().unwrap()
///     }
///
///     async fn sleep(&self, duration: Duration) {
///         *self.0.lock().unwrap() += duration;
///     }
/// }
///
/// # let (service, token) = support::service();
/// let client = Client::builder("http://in-process/v1", token).timer(Leaping::default()).in_process(service)?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[async_trait]
pub trait Timer: Send + Sync + 'static {
    /// Returns the time since an arbitrary fixed instant. It is monotonic.
    fn now(&self) -> Duration;

    /// Waits for at least this duration.
    async fn sleep(&self, duration: Duration);
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: Timer + ?Sized> Timer for $pointer<T> {
            fn now(&self) -> Duration {
                (**self).now()
            }

            async fn sleep(&self, duration: Duration) {
                (**self).sleep(duration).await;
            }
        }
    )*};
}

by_pointer! { Arc Box }

/// The system clock. It uses tokio's timers inside a tokio runtime that has them (so a test may pause them), and a
/// thread elsewhere.
///
/// ```
/// # futures_executor::block_on(async {
/// use std::time::Duration;
/// use leadapi_client::timer::{SystemTimer, Timer};
///
/// let timer = SystemTimer::default();
/// timer.sleep(Duration::from_millis(2)).await;
/// assert!(timer.now() >= Duration::from_millis(2));
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SystemTimer {
    #[cfg(feature = "reqwest")]
    start: tokio::time::Instant,
    #[cfg(not(feature = "reqwest"))]
    start: Instant,
}

impl Default for SystemTimer {
    fn default() -> Self {
        #[cfg(feature = "reqwest")]
        let start = tokio::time::Instant::now();
        #[cfg(not(feature = "reqwest"))]
        let start = Instant::now();
        Self { start }
    }
}

#[async_trait]
impl Timer for SystemTimer {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        #[cfg(feature = "reqwest")]
        if tokio_has_timers() {
            return tokio::time::sleep(duration).await;
        }
        on_a_thread(duration).await;
    }
}

/// Returns whether this thread is within a tokio runtime whose timers are enabled.
///
/// Tokio has no query for this and panics where timers are missing. This function catches the panic and caches the
/// result per runtime for the thread, so that at most one message reaches the panic hook.
#[cfg(feature = "reqwest")]
pub(crate) fn tokio_has_timers() -> bool {
    use std::{cell::Cell, panic::catch_unwind};
    use tokio::runtime::{Handle, Id};

    thread_local!(static KNOWN: Cell<Option<(Id, bool)>> = const { Cell::new(None) });
    let Ok(handle) = Handle::try_current() else { return false };
    match KNOWN.get() {
        Some((id, has_timers)) if id == handle.id() => has_timers,
        _ => {
            let has_timers = catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok();
            KNOWN.set(Some((handle.id(), has_timers)));
            has_timers
        }
    }
}

/// Waits on a dedicated thread, which ends when the future is dropped.
async fn on_a_thread(duration: Duration) {
    let alarm = Alarm::set(duration);
    poll_fn(|cx| {
        let mut state = alarm.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.rung {
            return Poll::Ready(());
        }
        let before = state.waker.replace(cx.waker().clone());
        drop(state);
        drop(before);
        Poll::Pending
    })
    .await;
}

struct Alarm {
    state: Arc<Mutex<State>>,
    thread: Option<Thread>,
}

#[derive(Default)]
struct State {
    rung: bool,
    dropped: bool,
    waker: Option<Waker>,
}

impl Alarm {
    fn set(duration: Duration) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (until, theirs) = (Instant::now().checked_add(duration), state.clone());
        let ring = move || {
            let lock = || theirs.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                // A deadline beyond the range of the clock never arrives.
                let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
                if left.is_zero() || lock().dropped {
                    break;
                }
                thread::park_timeout(left);
            }
            let waker = {
                let mut state = lock();
                state.rung = true;
                state.waker.take()
            };
            // Outside the lock: the waker may own the last reference to the task, and with it this alarm.
            waker.into_iter().for_each(Waker::wake);
        };
        let spawned = thread::Builder::new().name("leadapi-timer".into()).spawn(ring);
        // If no thread can be started, not waiting is better than waiting forever.
        state.lock().unwrap_or_else(PoisonError::into_inner).rung |= spawned.is_err();
        Self { state, thread: spawned.ok().map(|handle| handle.thread().clone()) }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).dropped = true;
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

/// Returns the output of `work`, or `None` if it takes longer than `limit`.
pub(crate) async fn within<T>(timer: &dyn Timer, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut alarm = None;
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        // Created on the first pending poll: most in-process work completes at once.
        alarm.get_or_insert_with(|| timer.sleep(limit)).as_mut().poll(cx).map(|()| None)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_executor::block_on;

    use super::*;

    #[test]
    fn without_a_runtime_a_thread_waits() {
        let (timer, begun) = (SystemTimer::default(), Instant::now());
        block_on(timer.sleep(Duration::from_millis(20)));
        assert!(begun.elapsed() >= Duration::from_millis(20));
        assert!(timer.now() >= Duration::from_millis(20));
    }

    #[test]
    fn work_is_given_up_at_its_limit_and_not_before() {
        let timer = SystemTimer::default();
        let begun = Instant::now();
        assert_eq!(block_on(within(&timer, Duration::from_millis(20), pending::<()>())), None);
        assert!(begun.elapsed() >= Duration::from_millis(20));
        assert_eq!(block_on(within(&timer, Duration::ZERO, async { 1 })), Some(1));
    }

    #[test]
    fn a_sleep_that_is_dropped_ends_its_thread() {
        let alarm = Alarm::set(Duration::MAX);
        let state = Arc::downgrade(&alarm.state);
        drop(alarm);
        while state.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
