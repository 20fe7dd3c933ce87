//! The records of creates with an idempotency key (contract D10).
//!
//! A record refers to its lead until the lead is first changed or deleted. The transaction with that change first
//! copies the lead into the record. That transaction and every replay hold the business's lock, so a replay finds
//! either the unchanged lead or the copy.

use std::sync::Arc;

use leadapi_core::{
    dataset::IdempotencySeed,
    id::{BusinessId, LeadId},
    model::{IdempotencyKey, Lead, Timestamp},
    port::{Created, Idempotency},
};

use super::{
    clock::StoreClock,
    error::SqlError,
    lead,
    row::Row,
    session::{Query, Session, query},
    statement,
};

/// The maximum number of leads that one query of [`preserve_all`] reads.
const LEADS: i64 = 1_000;

/// The first response to a create.
#[derive(Debug)]
pub(super) struct StoredResponse {
    pub(super) fingerprint: [u8; 32],
    /// The [key time](leadapi_limiter::key_time) of the create. Servers of older versions do not store it.
    pub(super) stored_at: Option<Timestamp>,
    /// The lead as it was first returned.
    pub(super) lead: Arc<Lead>,
}

/// The stored record of an idempotency key.
#[derive(Debug)]
pub(crate) struct Record {
    pub(super) fingerprint: [u8; 32],
    pub(super) stored_at: Option<Timestamp>,
    pub(super) lead: RecordedLead,
}

#[derive(Debug)]
pub(crate) enum RecordedLead {
    /// The id of a stored lead that is still as the create returned it.
    Unchanged(LeadId),
    /// The lead as the create returned it. The stored lead may have been changed or deleted since.
    Copy(Arc<Lead>),
}

impl Record {
    /// Reads a record from the columns that every key statement selects.
    pub(crate) fn read(mut row: Row<'_>) -> Result<Self, SqlError> {
        let (fingerprint, stored_at) = (row.take()?, row.take()?);
        Self::new(fingerprint, stored_at, row.take()?, row.take()?)
    }

    pub(crate) fn new(
        fingerprint: [u8; 32],
        stored_at: Option<Timestamp>,
        id: Option<LeadId>,
        copy: Option<String>,
    ) -> Result<Self, SqlError> {
        let lead = match (id, copy) {
            (Some(id), None) => RecordedLead::Unchanged(id),
            (None, Some(copy)) => {
                RecordedLead::Copy(serde_json::from_str::<Lead>(&copy).map_err(SqlError::other)?.into())
            }
            _ => return Err(SqlError::other("an idempotency key has no lead")),
        };
        Ok(Self { fingerprint, stored_at, lead })
    }

    /// Combines the record with the lead that it refers to. `find` returns the lead with an id.
    pub(super) fn resolve(self, find: impl FnOnce(&LeadId) -> Option<Arc<Lead>>) -> Result<StoredResponse, SqlError> {
        let lead = match self.lead {
            RecordedLead::Copy(copy) => copy,
            RecordedLead::Unchanged(id) => {
                find(&id).ok_or_else(|| SqlError::other("the lead of an idempotency key is missing"))?
            }
        };
        Ok(StoredResponse { fingerprint: self.fingerprint, stored_at: self.stored_at, lead })
    }
}

impl StoredResponse {
    /// Returns the query that inserts the record. `unchanged` states whether the lead is stored as the create returned
    /// it.
    pub(super) fn insert(
        &self,
        business: &BusinessId,
        key: &IdempotencyKey,
        unchanged: bool,
    ) -> Result<Query, SqlError> {
        let (id, copy) = if unchanged { (Some(&self.lead.id), None) } else { (None, Some(json(&self.lead)?)) };
        let (created_at, stored_at) = (self.lead.created_at, self.stored_at);
        Ok(query!(statement::INSERT_KEY, business, key, self.fingerprint, created_at, stored_at, id, copy))
    }

    /// Returns the record of an imported key, which counts as being as old as its lead.
    pub(super) fn imported(seed: &IdempotencySeed, clock: &StoreClock) -> Self {
        let stored_at = Some(clock.key_time(seed.lead.created_at));
        Self { fingerprint: seed.idempotency.fingerprint, stored_at, lead: Arc::new(seed.lead.clone()) }
    }

    /// Decides the outcome of a create at `at` whose key has this record. Returns `None` if the key has expired.
    pub(super) fn replay(&self, idempotency: &Idempotency, at: Timestamp, clock: &StoreClock) -> Option<Created> {
        let (created_at, key_time) = (self.lead.created_at, clock.key_time(at));
        let has_expired = match self.stored_at {
            Some(stored_at) => Idempotency::has_expired(stored_at, key_time),
            None => Idempotency::has_expired(created_at, key_time.min(at)),
        };
        if has_expired { None } else { idempotency.replay(&self.fingerprint, &self.lead, created_at) }
    }
}

/// Returns the query that copies a lead into the records that refer to it, before it changes for the first time.
pub(super) fn preserve(business: &BusinessId, lead: &Lead) -> Result<Query, SqlError> {
    Ok(query!(statement::PRESERVE_LEAD, json(lead)?, business, lead.created_at, &lead.id))
}

/// Copies all leads of a client account or a stage into the records that refer to them.
pub(super) async fn preserve_all(
    session: &mut dyn Session,
    business: &BusinessId,
    leads: &'static str,
    owner: &str,
) -> Result<(), SqlError> {
    let oldest = session.row(query!(statement::OLDEST_KEY, business), |mut row| row.take::<Option<i64>>()).await?;
    let Some(oldest) = oldest.flatten() else { return Ok(()) };
    let mut after = (oldest, String::new());
    loop {
        let page = session.rows(query!(leads, business, owner, after.0, &after.1, LEADS), lead::read).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = (last.created_at.unix_millis(), last.id.to_string());
        for lead in page {
            session.execute(preserve(business, &lead)?).await?;
        }
    }
}

fn json(lead: &Lead) -> Result<String, SqlError> {
    serde_json::to_string(lead).map_err(SqlError::other)
}
