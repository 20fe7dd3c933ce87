//! A limit on concurrent holders, and the wait until there are none.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Clone)]
pub(crate) struct Room {
    places: Arc<Semaphore>,
    most: u32,
}

/// A permit, released when dropped.
pub(crate) struct Permit(#[expect(dead_code, reason = "it is there to be dropped")] OwnedSemaphorePermit);

impl Room {
    pub(crate) fn for_at_most(most: usize) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self { places: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Returns a permit, or `None` if all are taken.
    pub(crate) fn enter(&self) -> Option<Permit> {
        self.places.clone().try_acquire_owned().ok().map(Permit)
    }

    /// Waits for a permit.
    pub(crate) async fn wait(self) -> Option<Permit> {
        // The semaphore is never closed.
        self.places.acquire_owned().await.ok().map(Permit)
    }

    pub(crate) const fn most(&self) -> u32 {
        self.most
    }

    /// Waits until no permit is taken.
    pub(crate) async fn emptied(&self) {
        drop(self.places.acquire_many(self.most).await);
    }
}
