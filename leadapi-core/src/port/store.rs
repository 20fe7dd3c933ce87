//! Where leads are kept.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    BoxError,
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, Lead, LeadQuery, Page, Pipeline, Window},
    validate::{LeadDraft, LeadEdit, Reference, Stamp},
};

/// A create that is to be remembered (contract D10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// What the caller calls it.
    pub key: IdempotencyKey,
    /// What the body was, after parsing and normalising: [`LeadDraft::fingerprint`].
    pub fingerprint: [u8; 32],
}

/// What became of a create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Created {
    /// The lead was made.
    Fresh(Arc<Lead>),
    /// The key is known and the body the same: the lead as it was first answered, and nothing was made.
    Replayed(Arc<Lead>),
    /// The key is known for another body; nothing was made.
    KeyReused,
    /// What it names is not there; nothing was made, and the key is not remembered.
    Refused(Reference),
}

/// What became of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Updated {
    /// The lead as it is now.
    Changed(Arc<Lead>),
    /// The business has no such lead.
    Missing,
    /// What the change names is not there; nothing was changed.
    Refused(Reference),
}

/// What became of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// A page and the number of all matches.
    Page(Page<Arc<Lead>>),
    /// What a filter names is not there.
    Refused(Reference),
}

/// Keeps the leads, pipelines and client accounts of many businesses apart from each other.
///
/// The service calls it; a host implements it to keep leads where it likes, and proves it with the suite in
/// `leadapi_core::conformance` (feature `conformance`).
///
/// - Every method takes the caller's business first and sees nothing beyond it: what belongs to another business is as
///   if it did not exist.
/// - Every method is one atomic unit of work: it happens wholly or not at all, and what it answers was true at one
///   moment. What it has acknowledged is seen by every call that begins after.
/// - The rules stand in [`validate`](crate::validate). A store looks up what a draft or an edit
///   [names](LeadDraft::named) and lets it make the lead, within one transaction.
/// - A future that is dropped half-way leaves either the whole of its work behind or nothing.
/// - An error says that the work could not be done: the answer is 500. Nothing may be half-written. An id that exists
///   already is such an error.
/// - An id may be empty: it stands for one that cannot exist, and is never found.
#[async_trait]
pub trait Store: Send + Sync {
    /// Makes a lead (contract D6, D10).
    ///
    /// With a key that is known and less than 24 hours old at `stamp.at`, it answers what is remembered, before
    /// anything that the draft names is looked up. Otherwise it makes the lead and remembers the key in the same
    /// transaction. Of twins that arrive at once, one makes the lead and the others wait for it and replay.
    async fn create(
        &self,
        business: &BusinessId,
        stamp: Stamp,
        draft: LeadDraft,
        once: Option<&Idempotency>,
    ) -> Result<Created, BoxError>;

    /// Reads a lead.
    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, BoxError>;

    /// Changes a lead: two changes at once follow each other, and neither is lost.
    async fn update(&self, business: &BusinessId, id: &LeadId, edit: &LeadEdit) -> Result<Updated, BoxError>;

    /// Deletes a lead; `false` when there is none.
    async fn remove(&self, business: &BusinessId, id: &LeadId) -> Result<bool, BoxError>;

    /// A page of leads by `created_at` descending, then `id` descending, and the number of all matches, from one
    /// snapshot; or the filter that names nothing of this business, the client account first (contract D3).
    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, BoxError>;

    /// Pipelines with their stages by position, oldest first, then by id (contract D3).
    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, BoxError>;

    /// Client accounts by name (code points), then by id (contract D3).
    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, BoxError>;
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: Store + ?Sized> Store for $pointer<T> {
            async fn create(
                &self,
                business: &BusinessId,
                stamp: Stamp,
                draft: LeadDraft,
                once: Option<&Idempotency>,
            ) -> Result<Created, BoxError> {
                (**self).create(business, stamp, draft, once).await
            }

            async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, BoxError> {
                (**self).get(business, id).await
            }

            async fn update(&self, business: &BusinessId, id: &LeadId, edit: &LeadEdit) -> Result<Updated, BoxError> {
                (**self).update(business, id, edit).await
            }

            async fn remove(&self, business: &BusinessId, id: &LeadId) -> Result<bool, BoxError> {
                (**self).remove(business, id).await
            }

            async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, BoxError> {
                (**self).list(business, query).await
            }

            async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, BoxError> {
                (**self).pipelines(business, window).await
            }

            async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, BoxError> {
                (**self).clients(business, window).await
            }
        }
    )*};
}

by_pointer! { Arc Box }
