//! Idempotency keys in a data set. After data has moved to another store, they let the new store recognize a retry of a
//! request that the old store handled.

use crate::{
    model::{IdempotencyKey, Lead},
    port::Idempotency,
};

/// A stored idempotency key with its create (contract D10).
///
/// The key expires 24 hours after the lead was created.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdempotencySeed {
    /// The key, and the fingerprint of the first request body that was sent with it.
    pub idempotency: Idempotency,
    /// The lead as the create returned it. The lead may have changed since, and the records that it refers to may have
    /// been deleted.
    pub lead: Lead,
}

impl IdempotencySeed {
    /// Combines a key, a fingerprint and a lead without validating them.
    ///
    /// ```
    /// # use leadapi_core::{dataset::IdempotencySeed, model::{IdempotencyKey, Lead}};
    /// # let json = r#"{"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-05-04T12:00:00Z"}"#;
    /// let lead: Lead = serde_json::from_str(json)?;
    /// let seed = IdempotencySeed::new(IdempotencyKey::parse("row-12")?, [0; 32], lead);
    /// assert_eq!(seed.idempotency.key.as_str(), "row-12");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn new(key: IdempotencyKey, fingerprint: [u8; 32], lead: Lead) -> Self {
        Self { idempotency: Idempotency { key, fingerprint }, lead }
    }
}
