//! Data sets (businesses and all their records) and their file format.
//!
//! A server can load a data set when it starts, and a store can import and export data sets. The conformance suite
//! fills the store under test from data sets.
//!
//! A file contains a JSON object with the `businesses` key. The keys of a business are the fields of [`BusinessSeed`].
//! Client accounts, pipelines and leads have the same keys as on the wire. A token has one of three forms
//! ([`TokenOrigin`]) and can also have the keys `expires_at` and `revoked_at`.
//!
//! ```
//! # use leadapi_core::dataset::Dataset;
//! # let json = r#"
//! {"businesses": [{"id": "b1", "name": "Harbour & Pine", "created_at": "2026-01-12T09:00:00Z", "tokens": [
//!     {"name": "new, with its secret shown once", "scopes": ["read"]},
//!     {"name": "supplied", "scopes": ["write"], "token": "pak_00000000000000000000000000000000000000000002OZByn"},
//!     {"name": "exported from a store", "scopes": ["read", "write"], "id": "019bb16e-fe80-71bd-97d4-34affe250f1f",
//!      "created_at": "2026-01-12T09:00:00.000Z", "prefix": "pak_AbCd",
//!      "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]}]}
//! # "#;
//! # let dataset = Dataset::parse(json)?;
//! # assert_eq!(dataset.businesses.first().map(|business| business.tokens.len()), Some(3));
//! # Ok::<(), leadapi_core::dataset::InvalidDataset>(())
//! ```
//!
//! `hash` is the SHA-256 hash of the secret as 64 lower-case hexadecimal digits, and `prefix` is the start of the
//! secret. An exported token can also have the keys `created_by` and `last_used_at`.
//!
//! `idempotency` lists the stored idempotency keys, so that a retry after an import creates no second lead (contract
//! D10). Each entry has the `key`, the `fingerprint` of the request body in the same format as `hash`, and the `lead`
//! as the create returned it.
//!
//! `audit` lists the entries of the audit log, oldest first. Each has the keys of an [`AuditEntry`]. A data set
//! contains neither sign-in links nor sessions, so people must sign in again after an import.

mod directory;
mod file;
mod idempotency;
mod token;

use std::fmt;

use serde::Serialize;

use self::file::RawDataset;
pub use self::{
    directory::Directory,
    idempotency::IdempotencySeed,
    token::{TokenOrigin, TokenSeed},
};
use crate::{
    auth::Role,
    form::FormRecord,
    id::BusinessId,
    model::{ClientAccount, Lead, Pipeline, Timestamp},
    port::AuditEntry,
};

/// A sample data set for demos and tests: one agency with 4 client accounts, 3 pipelines and 40 leads, and a second,
/// separate business.
///
/// All people, companies and addresses in it are fictitious.
pub const SAMPLE: &str = include_str!("../../data/sample.json");

/// An error in a data set, and its location.
///
/// The location is a path such as `businesses[0].leads[3].stage_id`, or a line and a column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct InvalidDataset {
    place: String,
    reason: String,
}

impl InvalidDataset {
    fn new(place: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self { place: place.to_string(), reason: reason.to_string() }
    }
}

/// Businesses and all their records.
///
/// A [parsed](Self::parse) data set satisfies every rule: references and leads are valid, and unique fields have no
/// duplicates. Within a business, the ids of each kind of record, the idempotency keys and the email addresses of
/// members are unique. The ids of businesses, and the ids and secrets of tokens, are unique in the whole data set.
///
/// ```
/// use leadapi_core::dataset::Dataset;
///
/// let error = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-01-12T09:00:00Z"}]}]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "businesses[0].leads[0]: client_id: no such client account in this business");
/// ```
///
/// A data set serializes to the file format, without secrets but otherwise without loss. If the data set supplies a
/// token's secret, the token is written as a [record](TokenSeed::record) with the secret's hash and the business's
/// creation time. If a data set does not fit in memory, write it one business at a time.
///
/// ```
/// # use leadapi_core::{dataset::{BusinessSeed, Dataset}, id::BusinessId};
/// let business = BusinessSeed::new(BusinessId::parse("b1")?, "Harbour & Pine", "2026-01-12T09:00:00Z".parse()?);
/// let dataset = Dataset::new(vec![business]);
/// assert_eq!(Dataset::parse(&serde_json::to_string_pretty(&dataset)?)?, dataset);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Dataset {
    /// The businesses.
    pub businesses: Vec<BusinessSeed>,
}

/// A business and all its records.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BusinessSeed {
    /// The id of the business.
    pub id: BusinessId,
    /// The name of the business: 1 to 200 characters.
    pub name: String,
    /// The time at which the business was created.
    pub created_at: Timestamp,
    /// The members of the business.
    pub members: Vec<MemberSeed>,
    /// The client accounts of the business.
    pub clients: Vec<ClientAccount>,
    /// The pipelines of the business. Each has at least one stage, and its stages are sorted by position.
    pub pipelines: Vec<Pipeline>,
    /// The leads of the business.
    pub leads: Vec<Lead>,
    /// The form records of the business.
    pub forms: Vec<FormRecord>,
    /// The API tokens of the business.
    pub tokens: Vec<TokenSeed>,
    /// The stored idempotency keys (contract D10).
    pub idempotency: Vec<IdempotencySeed>,
    /// The audit log (contract D8), oldest entry first.
    pub audit: Vec<AuditEntry>,
}

impl BusinessSeed {
    /// Creates a business without any records. The other fields are public and can be filled afterwards. Nothing is
    /// validated.
    ///
    /// ```
    /// # use leadapi_core::{dataset::BusinessSeed, id::BusinessId};
    /// let business = BusinessSeed::new(BusinessId::parse("b1")?, "Harbour & Pine", "2026-01-12T09:00:00Z".parse()?);
    /// assert!(business.leads.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn new(id: BusinessId, name: impl Into<String>, created_at: Timestamp) -> Self {
        Self {
            id,
            name: name.into(),
            created_at,
            members: Vec::new(),
            clients: Vec::new(),
            pipelines: Vec::new(),
            leads: Vec::new(),
            forms: Vec::new(),
            tokens: Vec::new(),
            idempotency: Vec::new(),
            audit: Vec::new(),
        }
    }
}

/// A member of a business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemberSeed {
    /// The email address (contract D4), which identifies the person and is unique within the business.
    pub email: String,
    /// The person's role in the business.
    pub role: Role,
}

impl MemberSeed {
    /// Creates a member without validating it.
    ///
    /// ```
    /// # use leadapi_core::{auth::Role, dataset::MemberSeed};
    /// assert_eq!(MemberSeed::new("owner@harbour.example", Role::Owner).role, Role::Owner);
    /// ```
    pub fn new(email: impl Into<String>, role: Role) -> Self {
        Self { email: email.into(), role }
    }
}

impl Dataset {
    /// Creates a data set from businesses without validating them.
    ///
    /// ```
    /// # use leadapi_core::dataset::Dataset;
    /// assert_eq!(Dataset::new(Vec::new()), Dataset::default());
    /// ```
    pub const fn new(businesses: Vec<BusinessSeed>) -> Self {
        Self { businesses }
    }

    /// Parses a data set from JSON and validates all of it.
    ///
    /// # Errors
    ///
    /// Returns the first error and its location. Errors include invalid JSON, unknown or missing keys, duplicate ids,
    /// invalid references, and invalid names or email addresses. A pipeline without stages, a lead that breaks a rule
    /// of contract D4, and a token with an unknown scope or a wrong checksum are errors too. The error for an invalid
    /// secret does not contain the secret.
    pub fn parse(json: &str) -> Result<Self, InvalidDataset> {
        let raw: RawDataset = serde_json::from_str(json).map_err(|error| {
            let text = error.to_string();
            let place = format!("line {} column {}", error.line(), error.column());
            let reason = text.strip_suffix(&format!(" at {place}")).unwrap_or(&text);
            InvalidDataset::new(place, reason)
        })?;
        raw.check()
    }
}
