//! Writes that run to their end, including their log line, even if nobody waits for the response.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::runtime::Handle;

/// A future that, if it is a write, continues as a task when it is dropped before its end.
pub(super) struct Detached<F: Future<Output: Send> + Send + Unpin + 'static> {
    /// `None` once it has finished.
    work: Option<F>,
    is_write: bool,
    /// Set during a poll, and for good if that poll panics: a future that panicked is not polled again.
    is_polled: bool,
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> Detached<F> {
    pub(super) const fn new(work: F, is_write: bool) -> Self {
        Self { work: Some(work), is_write, is_polled: false }
    }
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> Future for Detached<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Self { work, is_polled, .. } = &mut *self;
        let Some(running) = work.as_mut().filter(|_| !*is_polled) else { return Poll::Pending };
        *is_polled = true;
        let polled = Pin::new(running).poll(cx);
        *is_polled = false;
        if polled.is_ready() {
            *work = None;
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + Unpin + 'static> Drop for Detached<F> {
    fn drop(&mut self) {
        let goes_on = self.is_write && !self.is_polled && self.work.is_some();
        // Without a runtime, the work ends.
        if goes_on && let Some((work, runtime)) = self.work.take().zip(Handle::try_current().ok()) {
            runtime.spawn(work);
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

    /// Counts its polls, and panics or stays pending each time.
    fn work(polls: &Arc<AtomicUsize>, panics: bool) -> impl Future<Output = ()> + Send + 'static {
        let polls = polls.clone();
        poll_fn(move |_| {
            polls.fetch_add(1, Ordering::Relaxed);
            assert!(!panics, "on purpose");
            Poll::Pending
        })
    }

    #[tokio::test]
    async fn a_write_that_is_given_up_goes_on_and_one_that_panicked_does_not() {
        for (is_write, panics, expected) in [(true, false, 2), (true, true, 1), (false, false, 1)] {
            let polls = Arc::default();
            let mut detached = Detached::new(work(&polls, panics), is_write);
            let polled = catch_unwind(AssertUnwindSafe(|| (&mut detached).now_or_never()));
            assert_eq!(polled.is_err(), panics);
            if panics {
                assert!((&mut detached).now_or_never().is_none());
            }
            drop(detached);
            yield_now().await;
            assert_eq!(polls.load(Ordering::Relaxed), expected);
        }
    }
}
