//! Detached writes: a write that has started runs to completion, even after a disconnect or timeout.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::runtime::Handle;

/// A future that continues as a spawned task if it is a write and is dropped before completion. That happens when the
/// client disconnects or the request times out.
pub(super) struct SpawnOnDrop<F: Future<Output: Send> + Send + Unpin + 'static> {
    /// `None` during a poll and after completion, so a future that panicked is neither polled again nor spawned.
    future: Option<F>,
    is_write: bool,
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> SpawnOnDrop<F> {
    pub(super) const fn new(future: F, is_write: bool) -> Self {
        Self { future: Some(future), is_write }
    }
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> Future for SpawnOnDrop<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(mut future) = self.future.take() else { return Poll::Pending };
        let polled = Pin::new(&mut future).poll(cx);
        if polled.is_pending() {
            self.future = Some(future);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> Drop for SpawnOnDrop<F> {
    fn drop(&mut self) {
        // If no runtime is running, the write is cancelled.
        if self.is_write
            && let Some((future, runtime)) = self.future.take().zip(Handle::try_current().ok())
        {
            runtime.spawn(future);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use futures_util::FutureExt;
    use tokio::task::yield_now;

    use super::*;

    /// Returns a future that counts its polls, and panics or stays pending at each.
    fn future(polls: &Arc<AtomicUsize>, panics: bool) -> impl Future<Output = ()> + Send + 'static {
        let polls = polls.clone();
        poll_fn(move |_| {
            polls.fetch_add(1, Ordering::Relaxed);
            assert!(!panics, "on purpose");
            Poll::Pending
        })
    }

    #[tokio::test]
    async fn a_dropped_write_continues_unless_it_panicked() {
        for (is_write, panics, expected) in [(true, false, 2), (true, true, 1), (false, false, 1)] {
            let polls = Arc::default();
            let mut write = SpawnOnDrop::new(future(&polls, panics), is_write);
            let polled = catch_unwind(AssertUnwindSafe(|| (&mut write).now_or_never()));
            assert_eq!(polled.is_err(), panics);
            if panics {
                assert!((&mut write).now_or_never().is_none());
            }
            drop(write);
            yield_now().await;
            assert_eq!(polls.load(Ordering::Relaxed), expected);
        }
    }
}
