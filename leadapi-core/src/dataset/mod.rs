//! A data set: businesses and all that belongs to them, as a file holds them.
//!
//! It is what a server is started with, what a store is filled with and what is written of it, and what the conformance
//! suite asks of one.
//!
//! A file is an object with `businesses`, whose members are named like the fields of [`BusinessSeed`] and, in it, like
//! those of the records on the wire. A token stands in it in one of three ways ([`TokenOrigin`]); `expires_at` and
//! `revoked_at` may stand in each.
//!
//! ```
//! # use leadapi_core::dataset::Dataset;
//! # let json = r#"
//! {"businesses": [{"id": "b1", "name": "Harbour & Pine", "created_at": "2026-01-12T09:00:00Z", "tokens": [
//!     {"name": "to be made, and shown once", "scopes": ["read"]},
//!     {"name": "given", "scopes": ["write"], "token": "pak_00000000000000000000000000000000000000000002OZByn"},
//!     {"name": "kept before", "scopes": ["read", "write"], "id": "019bb16e-fe80-71bd-97d4-34affe250f1f",
//!      "created_at": "2026-01-12T09:00:00.000Z", "prefix": "pak_AbCd",
//!      "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}]}]}
//! # "#;
//! # let dataset = Dataset::parse(json)?;
//! # assert_eq!(dataset.businesses.first().map(|business| business.tokens.len()), Some(3));
//! # Ok::<(), leadapi_core::dataset::InvalidDataset>(())
//! ```
//!
//! `hash` is the SHA-256 of the secret in 64 lower-case hexadecimal digits, and `prefix` its first characters.
//!
//! `idempotency` lists the creates that are remembered, each with its `key`, the `fingerprint` of its body as a hash is
//! written, and the `lead` as it was first answered.

mod directory;
mod file;
mod idempotency;
mod token;

use std::fmt;

use serde::Serialize;

pub(crate) use self::directory::Directory;
use self::file::RawDataset;
pub use self::{
    idempotency::IdempotencySeed,
    token::{TokenOrigin, TokenSeed},
};
use crate::{
    auth::Role,
    form::FormRecord,
    id::BusinessId,
    model::{ClientAccount, Lead, Pipeline, Timestamp},
};

/// What is wrong with a data set, and where.
///
/// The place is a path such as `businesses[0].leads[3].stage_id`, or a line and a column.
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

/// Businesses and all that belongs to them.
///
/// One that was [read](Self::parse) keeps every rule: references hold, leads are valid, and nothing stands twice: no id
/// of a lead, client account, pipeline, stage or form and no e-mail address of a member in a business, and no id of a
/// business and no token in the whole.
///
/// ```
/// use leadapi_core::dataset::Dataset;
///
/// let error = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-01-12T09:00:00Z"}]}]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "businesses[0].leads[0]: client_id: no such client account in this business");
/// ```
///
/// It is written in the same shape, without loss and without secrets: a token whose secret is given is written with its
/// hash, as the one that it [becomes](TokenSeed::record) when its business is created. What is too large to be held at
/// once can be written business by business.
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

/// A business and all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BusinessSeed {
    /// Identifier of the business.
    pub id: BusinessId,
    /// What people call it: 1 to 200 characters.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its people.
    pub members: Vec<MemberSeed>,
    /// Its client accounts.
    pub clients: Vec<ClientAccount>,
    /// Its pipelines, each with at least one stage, the stages by position.
    pub pipelines: Vec<Pipeline>,
    /// Its leads.
    pub leads: Vec<Lead>,
    /// Its form records.
    pub forms: Vec<FormRecord>,
    /// Its tokens.
    pub tokens: Vec<TokenSeed>,
    /// The creates that are remembered (contract D10).
    pub idempotency: Vec<IdempotencySeed>,
}

impl BusinessSeed {
    /// A business to which nothing belongs yet; the other fields are public, to be filled after. Nothing is checked.
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
        }
    }
}

/// A person of a business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemberSeed {
    /// By which the person is known: an e-mail address (contract D4) that no other member of the business has.
    pub email: String,
    /// What the person is in the business.
    pub role: Role,
}

impl MemberSeed {
    /// A person; nothing is checked.
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
    /// These businesses; nothing is checked.
    ///
    /// ```
    /// # use leadapi_core::dataset::Dataset;
    /// assert_eq!(Dataset::new(Vec::new()), Dataset::default());
    /// ```
    pub const fn new(businesses: Vec<BusinessSeed>) -> Self {
        Self { businesses }
    }

    /// Reads a data set from JSON and checks all of it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place: bad JSON, an unknown or missing key, an id that stands twice, a
    /// reference that does not hold, a name or an e-mail address that is none, a pipeline without stages, a lead that
    /// breaks a rule of contract D4, a token of a bad scope or with a wrong checksum. Secrets are not shown.
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
