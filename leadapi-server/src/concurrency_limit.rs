//! A concurrency limit on in-flight requests.

use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

#[derive(Clone)]
pub(crate) struct ConcurrencyLimit {
    semaphore: Arc<Semaphore>,
    limit: u32,
}

/// A permit, released on drop. The holder can also release it early and reacquire it later.
pub(crate) struct Permit {
    held: Option<OwnedSemaphorePermit>,
    semaphore: PollSemaphore,
}

impl ConcurrencyLimit {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        Self { semaphore: Arc::new(Semaphore::new(limit as usize)), limit }
    }

    pub(crate) const fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns a permit, or `None` if none is available.
    pub(crate) fn try_acquire(&self) -> Option<Permit> {
        let held = Some(self.semaphore.clone().try_acquire_owned().ok()?);
        Some(Permit { held, semaphore: PollSemaphore::new(self.semaphore.clone()) })
    }
}

impl Permit {
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// Polls for a new permit if this one was released.
    pub(crate) fn poll_acquire(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.held.is_none() {
            // The semaphore is never closed.
            self.held = ready!(self.semaphore.poll_acquire(cx));
        }
        Poll::Ready(())
    }
}
