//! Waits for conditions and futures, with the same timeout everywhere.

#[path = "../../leadapi-server/cli/tests/binary/wait.rs"]
mod blocking;

use tokio::time::{sleep, timeout};

use self::blocking::INTERVAL;
pub use self::blocking::{Condition, TIMEOUT, equals, wait_until};

/// Waits until a condition is met, and returns the result of the last check.
///
/// # Panics
///
/// Panics if the condition is not met within [`TIMEOUT`]. The message contains the last result.
pub async fn eventually<C: Condition>(what: &str, mut check: impl AsyncFnMut() -> C) -> C::Value {
    let mut last = "the first check did not finish".to_owned();
    let waited = timeout(TIMEOUT, async {
        loop {
            match check().await.met() {
                Ok(value) => return value,
                Err(state) => last = state,
            }
            sleep(INTERVAL).await;
        }
    })
    .await;
    waited.unwrap_or_else(|_| panic!("{what}: not within {TIMEOUT:?}: {last}"))
}

/// Waits until a future completes.
///
/// # Panics
///
/// Panics if the future does not complete within [`TIMEOUT`].
pub async fn in_time<F: Future>(what: &str, future: F) -> F::Output {
    timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("{what}: not within {TIMEOUT:?}"))
}
