//! Writes that run to their end, and into the log, also when nobody waits for their answer any longer.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
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
        // What has come to its end is not polled again.
        let Some(work) = &mut self.0 else { return Poll::Pending };
        let done = ready!(work.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(done)
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
