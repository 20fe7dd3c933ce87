//! The clock that a client uses, and the default implementation.

mod manual;
mod thread;

use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use thread::Sleep;

pub use self::manual::ManualTimer;

/// The clock that a client uses for rate limiting, backoff and timeouts.
///
/// The default is [`SystemTimer`]. [`ClientBuilder::timer`](crate::ClientBuilder::timer) sets a different timer, such
/// as [`ManualTimer`], or a timer that follows the clock of a runtime:
///
/// ```
/// use std::time::Duration;
/// use leadapi_client::{Client, timer::Timer};
/// use tokio::time::Instant;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
///
/// /// Tokio's clock, which a test can pause.
/// struct TokioTimer(Instant);
///
/// #[async_trait::async_trait]
/// impl Timer for TokioTimer {
///     fn now(&self) -> Duration {
///         self.0.elapsed()
///     }
///
///     async fn sleep(&self, duration: Duration) {
///         tokio::time::sleep(duration).await;
///     }
/// }
///
/// # let (service, token) = support::service();
/// let timer = TokioTimer(Instant::now());
/// let client = Client::builder("http://in-process/v1", token).timer(timer).in_process(service).build()?;
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[async_trait]
pub trait Timer: Send + Sync + 'static {
    /// Returns the time since an arbitrary fixed instant. The clock is monotonic.
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

/// A timer based on the system's monotonic clock. It needs no runtime, because one thread in the process wakes all
/// sleeping calls.
///
/// The thread starts at the first wait. If the system cannot start it, all waits end immediately, so calls time out
/// instead of hanging.
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
    start: Instant,
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

#[async_trait]
impl Timer for SystemTimer {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        Sleep::new(duration).await;
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
        // Create the sleep only if the first poll is pending, because most in-process work completes immediately.
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
    fn a_sleep_needs_no_runtime() {
        let (timer, begun) = (SystemTimer::default(), Instant::now());
        block_on(timer.sleep(Duration::from_millis(20)));
        assert!(begun.elapsed() >= Duration::from_millis(20));
        assert!(timer.now() >= Duration::from_millis(20));
    }

    #[test]
    fn work_is_dropped_at_its_limit_and_not_before() {
        let timer = SystemTimer::default();
        let begun = Instant::now();
        assert_eq!(block_on(within(&timer, Duration::from_millis(20), pending::<()>())), None);
        assert!(begun.elapsed() >= Duration::from_millis(20));
        assert_eq!(block_on(within(&timer, Duration::ZERO, async { 1 })), Some(1));
    }
}
