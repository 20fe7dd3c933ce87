//! Writes that run to their end, and into the log, also when nobody waits for their answer any longer.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::runtime::Handle;

/// Work that goes on by itself from the moment in which it is given up.
pub(super) struct Detached<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Detached<F> {
    pub(super) fn new(work: F) -> Self {
        Self(Some(Box::pin(work)))
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for Detached<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // Taken out meanwhile, so that what panics is not polled again.
        let Some(mut work) = self.0.take() else { return Poll::Pending };
        let polled = work.as_mut().poll(cx);
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for Detached<F> {
    fn drop(&mut self) {
        // Where there is no runtime any more, this ends with it.
        if let Some((work, runtime)) = self.0.take().zip(Handle::try_current().ok()) {
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

    /// Is polled so often, and panics or waits each time.
    fn work(polls: &Arc<AtomicUsize>, panics: bool) -> impl Future<Output = ()> + Send + 'static {
        let polls = polls.clone();
        poll_fn(move |_| {
            polls.fetch_add(1, Ordering::Relaxed);
            assert!(!panics, "on purpose");
            Poll::Pending
        })
    }

    #[tokio::test]
    async fn what_is_given_up_goes_on_and_what_panicked_does_not() {
        for (panics, expected) in [(false, 2), (true, 1)] {
            let polls = Arc::default();
            let mut detached = Detached::new(work(&polls, panics));
            let polled = catch_unwind(AssertUnwindSafe(|| (&mut detached).now_or_never()));
            assert_eq!(polled.is_err(), panics);
            drop(detached);
            yield_now().await;
            assert_eq!(polls.load(Ordering::Relaxed), expected);
        }
    }
}
