//! The port for storing leads.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::StoreError;
use crate::{
    auth::Author,
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, Lead, LeadQuery, Page, Pipeline, Timestamp, Window},
    validate::{InvalidReference, LeadDraft, LeadEdit, NewLeadMeta},
};

/// The idempotency key of a create and the fingerprint of its body, which a store must keep (contract D10).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Idempotency {
    /// The key that the caller chose.
    pub key: IdempotencyKey,
    /// The hash of the parsed and normalized body, from [`LeadDraft::fingerprint`].
    pub fingerprint: [u8; 32],
}

impl Idempotency {
    /// The time for which a store keeps an idempotency key, counted from the `created_at` of the lead.
    pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

    /// Combines a key and the fingerprint of a body.
    ///
    /// ```
    /// # use leadapi_core::{model::IdempotencyKey, port::Idempotency};
    /// let idempotency = Idempotency::new(IdempotencyKey::parse("row-12")?, [0; 32]);
    /// assert_eq!(idempotency.key.as_str(), "row-12");
    /// # Ok::<(), leadapi_core::model::InvalidIdempotencyKey>(())
    /// ```
    pub const fn new(key: IdempotencyKey, fingerprint: [u8; 32]) -> Self {
        Self { key, fingerprint }
    }

    /// Returns whether the idempotency key of a lead created at `created_at` has expired at `now`.
    ///
    /// ```
    /// # use leadapi_core::port::Idempotency;
    /// let created_at = "2026-05-04T12:00:00Z".parse()?;
    /// assert!(!Idempotency::has_expired(created_at, "2026-05-05T11:59:59.999Z".parse()?));
    /// assert!(Idempotency::has_expired(created_at, "2026-05-05T12:00:00Z".parse()?));
    /// # Ok::<(), leadapi_core::model::InvalidTimestamp>(())
    /// ```
    pub fn has_expired(created_at: Timestamp, now: Timestamp) -> bool {
        now.saturating_duration_since(created_at) >= Self::LIFETIME
    }

    /// Decides the outcome of a create whose key is already stored.
    ///
    /// `fingerprint` and `lead` belong to the create that stored the key. Returns `None` if the stored key has expired;
    /// the store then creates a new lead.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use leadapi_core::{model::{IdempotencyKey, Lead}, port::{Created, Idempotency}};
    /// # let at = "2026-05-04T12:00:00Z".parse()?;
    /// # let lead = Arc::new(Lead::new("l1".parse()?, "c1".parse()?, "Ann", at));
    /// let idempotency = Idempotency::new(IdempotencyKey::parse("row-12")?, [0; 32]);
    /// assert_eq!(idempotency.replay(&[0; 32], &lead, at), Some(Created::Replayed(lead.clone())));
    /// assert_eq!(idempotency.replay(&[1; 32], &lead, at), Some(Created::KeyReused));
    /// assert_eq!(idempotency.replay(&[0; 32], &lead, "2026-05-05T12:00:00Z".parse()?), None);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn replay(&self, fingerprint: &[u8; 32], lead: &Arc<Lead>, now: Timestamp) -> Option<Created> {
        if Self::has_expired(lead.created_at, now) {
            return None;
        }
        Some(if *fingerprint == self.fingerprint { Created::Replayed(lead.clone()) } else { Created::KeyReused })
    }
}

/// The outcome of a create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Created {
    /// The store created the lead.
    New(Arc<Lead>),
    /// The key was used before with the same body. Nothing was created. The value is the lead that the first request
    /// returned.
    Replayed(Arc<Lead>),
    /// The key was used before with a different body. Nothing was created.
    KeyReused,
    /// A reference in the draft is invalid. Nothing was created, and the key was not stored.
    Refused(InvalidReference),
}

/// The outcome of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Updated {
    /// The lead after the update.
    Changed(Arc<Lead>),
    /// The business has no such lead.
    Missing,
    /// A reference in the update is invalid. Nothing was changed.
    Refused(InvalidReference),
}

/// The outcome of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// A page, with the total number of matches.
    Page(Page<Arc<Lead>>),
    /// A filter names a record that the business does not have.
    Refused(InvalidReference),
}

/// A store of leads, pipelines and client accounts that isolates businesses from each other.
///
/// Implement this trait to choose where the service stores leads. Test the implementation with the suite in
/// the crate `leadapi-conformance`.
///
/// - Every method takes the caller's business as its first argument and accesses only that business's records. A record
///   of another business behaves as if it did not exist.
/// - Every method is atomic: it takes effect completely or not at all, and its result reflects a single point in time.
///   Every call that starts after an acknowledged write sees that write.
/// - The rules are implemented in [`validate`](crate::validate). Within one transaction, a store looks up the records
///   that a draft or an edit [requires](LeadDraft::required_lookups). It passes them to the draft or the edit, which
///   returns the lead to write.
/// - A write takes effect only while its [author](Author) may write. A store that contains the tokens looks up the
///   token of [`Author::Token`] in the transaction of the write. It rejects the write with [`StoreError::Unauthorized`]
///   if the token does not exist in this business, has expired or was revoked. Any other store can ignore the author.
/// - If a future is dropped before it completes, its call takes effect completely or not at all.
/// - If the storage fails, the method must return an error and must not leave a partial write. The service then
///   responds with 500. If a lead with the id of a new lead already exists, `create` returns
///   [`StoreError::AlreadyExists`].
#[async_trait]
pub trait Store: Send + Sync {
    /// Creates a lead (contract D6, D10).
    ///
    /// If the key is already stored, [`Idempotency::replay`] decides the outcome as of `meta.at`, before the store
    /// looks up any record that the draft requires. Otherwise the store creates the lead and stores the key in the same
    /// transaction. Of several concurrent creates with the same key, one creates the lead. The others wait for it, and
    /// [`Idempotency::replay`] decides their outcome.
    async fn create(
        &self,
        business: &BusinessId,
        author: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        idempotency: Option<&Idempotency>,
    ) -> Result<Created, StoreError>;

    /// Returns a lead, or `None` if the business has no such lead.
    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError>;

    /// Updates a lead. Concurrent updates of a lead are serialized, and none is lost.
    async fn update(
        &self,
        business: &BusinessId,
        author: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError>;

    /// Deletes a lead. Returns `false` if the business has no such lead.
    async fn delete(&self, business: &BusinessId, author: &Author, id: &LeadId) -> Result<bool, StoreError>;

    /// Lists leads by `created_at` descending, then `id` descending, with the total number of matches from the same
    /// snapshot. If a filter names no record of this business, returns the invalid reference instead. The client
    /// account is checked first (contract D3).
    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError>;

    /// Lists pipelines, oldest first, then by id. The stages of each pipeline are sorted by position (contract D3).
    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError>;

    /// Lists client accounts by name in code point order, then by id (contract D3).
    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError>;
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: Store + ?Sized> Store for $pointer<T> {
            async fn create(
                &self,
                business: &BusinessId,
                author: &Author,
                meta: NewLeadMeta,
                draft: LeadDraft,
                idempotency: Option<&Idempotency>,
            ) -> Result<Created, StoreError> {
                (**self).create(business, author, meta, draft, idempotency).await
            }

            async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
                (**self).get(business, id).await
            }

            async fn update(
                &self,
                business: &BusinessId,
                author: &Author,
                id: &LeadId,
                edit: &LeadEdit,
            ) -> Result<Updated, StoreError> {
                (**self).update(business, author, id, edit).await
            }

            async fn delete(&self, business: &BusinessId, author: &Author, id: &LeadId) -> Result<bool, StoreError> {
                (**self).delete(business, author, id).await
            }

            async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
                (**self).list(business, query).await
            }

            async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
                (**self).pipelines(business, window).await
            }

            async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
                (**self).clients(business, window).await
            }
        }
    )*};
}

by_pointer! { Arc Box }
