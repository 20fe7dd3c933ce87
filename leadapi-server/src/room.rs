//! Room for so many at a time, and the wait until nobody is left.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Clone)]
pub(crate) struct Room {
    places: Arc<Semaphore>,
    most: u32,
}

/// Is held until it is dropped.
pub(crate) struct Place(#[expect(dead_code, reason = "it is there to be dropped")] OwnedSemaphorePermit);

impl Room {
    pub(crate) fn for_at_most(most: usize) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self { places: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// A place, unless all are taken.
    pub(crate) fn enter(&self) -> Option<Place> {
        self.places.clone().try_acquire_owned().ok().map(Place)
    }

    pub(crate) const fn most(&self) -> u32 {
        self.most
    }

    pub(crate) fn taken(&self) -> usize {
        (self.most as usize).saturating_sub(self.places.available_permits())
    }

    /// Waits until no place is taken.
    pub(crate) async fn emptied(&self) {
        drop(self.places.acquire_many(self.most).await);
    }
}
