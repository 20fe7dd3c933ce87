//! The records in which this server finds out the outcome of its commits.
//!
//! A server creates its record for a business before its first transaction there. A missing record therefore never
//! proves a rollback: the record may have been deleted together with the proof of a commit. So no clock, and no command
//! that deletes records, can turn a commit into a rollback.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use leadapi_core::id::BusinessId;
use tokio::time::Instant;

/// How long a server assumes that a record exists. It is shorter than the time after which unused records are deleted.
const LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// The businesses in which this server has a record, and when it created the record or confirmed that it exists.
#[derive(Debug, Default)]
pub(super) struct CommitRecords(Mutex<HashMap<BusinessId, Instant>>);

impl CommitRecords {
    pub(super) fn contains(&self, business: &BusinessId) -> bool {
        self.lock().get(business).is_some_and(|since| since.elapsed() < LIFETIME)
    }

    pub(super) fn insert(&self, business: &BusinessId, since: Instant) {
        let mut records = self.lock();
        // Before the map grows, entries that are no longer valid make room.
        if records.len() == records.capacity() {
            records.retain(|_, since| since.elapsed() < LIFETIME);
        }
        records.insert(business.clone(), since);
    }

    pub(super) fn remove(&self, business: &BusinessId) {
        self.lock().remove(business);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BusinessId, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
