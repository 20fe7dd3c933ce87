//! Limits the connections that one business uses at a time to half of the pool, so that a slow business leaves
//! connections for the others. For example, another program may hold a lock on the records of the business.

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use deadpool_postgres::Object;
use leadapi_core::id::BusinessId;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{error::Elapsed, timeout},
};

use super::connect::POOL_WAIT;

/// The businesses that use or wait for connections.
#[derive(Debug)]
pub(super) struct Shares {
    /// The maximum number of connections of a business.
    size: usize,
    businesses: Mutex<HashMap<BusinessId, Arc<Semaphore>>>,
}

/// A permit to use a connection for a business.
#[derive(Debug)]
pub(super) struct Permit {
    shares: Arc<Shares>,
    business: BusinessId,
    slot: Option<OwnedSemaphorePermit>,
}

/// The permit of stuck work, if it has one. Its connection keeps the permit until it returns to the pool.
pub(super) type Slot = Arc<OnceLock<OwnedSemaphorePermit>>;

/// A connection from the pool.
#[derive(Debug)]
pub(super) struct Connection {
    // Returned to the pool before the permits are released, because fields are dropped in order.
    object: Object,
    _permit: Option<Permit>,
    _slot: Slot,
}

impl Shares {
    pub(super) fn of_pool(size: usize) -> Arc<Self> {
        Arc::new(Self { size: size.div_ceil(2), businesses: Mutex::default() })
    }

    /// Waits until the business uses fewer connections than its share.
    pub(super) async fn acquire(self: Arc<Self>, business: &BusinessId) -> Result<Permit, Elapsed> {
        let semaphore =
            self.lock().entry(business.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.size))).clone();
        // The semaphore is never closed.
        let slot = timeout(POOL_WAIT, semaphore.acquire_owned()).await?.ok();
        Ok(Permit { shares: self, business: business.clone(), slot })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BusinessId, Arc<Semaphore>>> {
        self.businesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut businesses = self.shares.lock();
        drop(self.slot.take());
        // New references are made only under the lock, so the last permit without a waiter removes the entry.
        if businesses.get(&self.business).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            businesses.remove(&self.business);
        }
    }
}

impl Connection {
    pub(super) const fn new(object: Object, permit: Option<Permit>, slot: Slot) -> Self {
        Self { object, _permit: permit, _slot: slot }
    }

    /// Closes the connection instead of returning it to the pool.
    pub(super) fn close(self) {
        drop(Object::take(self.object));
    }
}

impl Deref for Connection {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.object
    }
}
