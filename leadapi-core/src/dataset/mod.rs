//! A data set: businesses and all that belongs to them, as a file holds them.
//!
//! It is what a server is started with, what a store is filled with, and what the conformance suite asks of one.

mod directory;
mod file;

use std::fmt;

use serde::Deserialize;

pub(crate) use self::directory::Directory;
use self::file::{RawDataset, Seen};
use crate::{
    auth::{BearerToken, Role, Scopes},
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

/// Businesses and all that belongs to them; every id is unique, every reference holds, every lead is valid.
///
/// ```
/// use leadapi_core::dataset::Dataset;
///
/// let error = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
///     "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-01-12T09:00:00Z"}]}]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "businesses[0].leads[0]: client_id: no such client account in this business");
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Dataset {
    /// The businesses.
    pub businesses: Vec<BusinessSeed>,
}

/// A business and all that belongs to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct BusinessSeed {
    /// Identifier of the business.
    pub id: BusinessId,
    /// What people call it.
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
}

/// A person of a business.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemberSeed {
    /// By which the person is known.
    pub email: String,
    /// What the person is in the business.
    pub role: Role,
}

/// A token of a business.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenSeed {
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// From this moment on it is no longer good.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Its secret, with a right checksum; without one, one has to be made.
    pub secret: Option<BearerToken>,
}

impl Dataset {
    /// Reads a data set from JSON and checks all of it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place: bad JSON, an unknown or missing key, an id that stands twice, a
    /// reference that does not hold, a pipeline without stages, a lead that breaks a rule of contract D4, a token of a
    /// bad scope or with a wrong checksum. Secrets are not shown.
    pub fn parse(json: &str) -> Result<Self, InvalidDataset> {
        let raw: RawDataset = serde_json::from_str(json).map_err(|error| {
            let text = error.to_string();
            let place = format!("line {} column {}", error.line(), error.column());
            let reason = text.strip_suffix(&format!(" at {place}")).unwrap_or(&text);
            InvalidDataset::new(place, reason)
        })?;
        let mut seen = Seen::default();
        let businesses = raw.businesses.into_iter().enumerate();
        let businesses = businesses.map(|(at, raw)| raw.check(&format!("businesses[{at}]"), &mut seen));
        Ok(Self { businesses: businesses.collect::<Result<_, _>>()? })
    }
}
