//! Limits the connections that one business uses at a time to half of the pool, so that a slow business leaves
//! connections for the others. For example, another program may hold a lock on the records of the business.
//!
//! All writes together use at most three quarters of the pool, so that reads do not have to wait while commits wait for
//! a standby.

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use deadpool_postgres::Object;
use leadapi_core::id::BusinessId;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};

use super::hosts::Hosts;

/// The businesses that use or wait for connections.
#[derive(Debug)]
pub(super) struct Shares {
    /// The maximum number of connections of a business.
    size: usize,
    businesses: Mutex<HashMap<BusinessId, Arc<Semaphore>>>,
}

/// A permit to use a connection for a business.
#[derive(Debug)]
pub(super) struct Share {
    shares: Arc<Shares>,
    business: BusinessId,
    permit: Option<OwnedSemaphorePermit>,
}

/// The permits of stuck work, if it has them.
pub(super) type Slot = Arc<OnceLock<(Share, OwnedSemaphorePermit)>>;

/// The permits to use a connection, which are released when they are dropped.
#[derive(Debug, Default)]
pub(super) struct Permits {
    pub(super) share: Option<Share>,
    /// The permit of a write.
    pub(super) write: Option<OwnedSemaphorePermit>,
    pub(super) slot: Slot,
}

/// A connection from the pool.
#[derive(Debug)]
pub(super) struct Connection {
    // Returned to the pool before the permits are released, because fields are dropped in order.
    object: Object,
    hosts: Hosts,
    _permits: Permits,
}

impl Shares {
    /// Gives each business half of the connections, rounded up.
    pub(super) fn of(connections: usize) -> Arc<Self> {
        Arc::new(Self { size: connections.div_ceil(2), businesses: Mutex::default() })
    }

    /// Waits until the business uses fewer connections than its share.
    pub(super) async fn acquire(self: Arc<Self>, business: &BusinessId) -> Share {
        let semaphore = self.semaphore(business);
        // The semaphore is never closed.
        let permit = semaphore.acquire_owned().await.ok();
        Share { shares: self, business: business.clone(), permit }
    }

    pub(super) fn try_acquire(self: Arc<Self>, business: &BusinessId) -> Option<Share> {
        let permit = self.semaphore(business).try_acquire_owned().ok()?;
        Some(Share { shares: self, business: business.clone(), permit: Some(permit) })
    }

    fn semaphore(&self, business: &BusinessId) -> Arc<Semaphore> {
        self.lock().entry(business.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.size))).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BusinessId, Arc<Semaphore>>> {
        self.businesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut businesses = self.shares.lock();
        drop(self.permit.take());
        // New references are created only under the lock, so the last permit removes the entry if nobody waits for it.
        if businesses.get(&self.business).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            businesses.remove(&self.business);
        }
    }
}

impl Connection {
    pub(super) const fn new(object: Object, hosts: Hosts, permits: Permits) -> Self {
        Self { object, hosts, _permits: permits }
    }

    /// Closes the connection, and cancels the statement that it runs. Otherwise, the database would run more statements
    /// at a time than the pool has connections.
    pub(super) fn cancel(self) {
        let (hosts, token) = (self.hosts.clone(), self.object.cancel_token());
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { hosts.cancel(token).await });
        }
        self.close();
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
