//! A data set: businesses and all that belongs to them, as a file holds them.
//!
//! It is what a server is started with, what a store is filled with, and what the conformance suite asks of one.

use std::{collections::HashSet, fmt};

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::{
    auth::{BearerToken, Role, Scopes},
    form::FormRecord,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId},
    model::{Amount, ClientAccount, Lead, NewLead, Pipeline, Timestamp},
    validate::{References, Stamp},
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
    /// Its pipelines, each with at least one stage.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDataset {
    businesses: Vec<RawBusiness>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBusiness {
    id: BusinessId,
    name: String,
    created_at: Timestamp,
    #[serde(default)]
    members: Vec<MemberSeed>,
    #[serde(default)]
    clients: Vec<ClientAccount>,
    #[serde(default)]
    pipelines: Vec<Pipeline>,
    #[serde(default)]
    leads: Vec<RawLead>,
    #[serde(default)]
    forms: Vec<FormRecord>,
    #[serde(default)]
    tokens: Vec<RawToken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLead {
    id: LeadId,
    created_at: Timestamp,
    client_id: Option<String>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    source: Option<String>,
    notes: Option<String>,
    #[serde(default, deserialize_with = "exact")]
    value: Option<f64>,
    pipeline_id: Option<String>,
    stage_id: Option<String>,
    business_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawToken {
    name: String,
    scopes: Scopes,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    token: Option<String>,
}

/// A number as the API takes it: one that a double would change is refused, not changed.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let text = Option::<Box<RawValue>>::deserialize(deserializer)?;
    let amount = text.map(|text| Amount::parse(text.get())).transpose();
    amount.map(|amount| amount.map(Amount::get)).map_err(|error| de::Error::custom(format_args!("value {error}")))
}

/// The ids of the whole file, by kind: an id names one record, whichever business asks.
#[derive(Default)]
struct Seen {
    ids: HashSet<(&'static str, String)>,
}

impl Seen {
    fn once(&mut self, kind: &'static str, id: impl fmt::Display, place: &str) -> Result<(), InvalidDataset> {
        if self.ids.insert((kind, id.to_string())) {
            Ok(())
        } else {
            Err(InvalidDataset::new(format_args!("{place}.id"), format_args!("the {kind} id {id} stands twice")))
        }
    }
}

impl RawBusiness {
    fn check(self, place: &str, seen: &mut Seen) -> Result<BusinessSeed, InvalidDataset> {
        seen.once("business", &self.id, place)?;
        for (at, client) in self.clients.iter().enumerate() {
            seen.once("client account", &client.id, &format!("{place}.clients[{at}]"))?;
        }
        for (at, pipeline) in self.pipelines.iter().enumerate() {
            check_pipeline(pipeline, &format!("{place}.pipelines[{at}]"), seen)?;
        }
        let mut leads = Vec::with_capacity(self.leads.len());
        let clients: HashSet<&ClientId> = self.clients.iter().map(|client| &client.id).collect();
        for (at, raw) in self.leads.into_iter().enumerate() {
            let place = format!("{place}.leads[{at}]");
            seen.once("lead", &raw.id, &place)?;
            leads.push(raw.check(&place, &clients, &self.pipelines)?);
        }
        let mut tokens = Vec::with_capacity(self.tokens.len());
        for (at, raw) in self.tokens.into_iter().enumerate() {
            tokens.push(raw.check(&format!("{place}.tokens[{at}]"), seen)?);
        }
        Ok(BusinessSeed {
            id: self.id,
            name: self.name,
            created_at: self.created_at,
            members: self.members,
            clients: self.clients,
            pipelines: self.pipelines,
            leads,
            forms: self.forms,
            tokens,
        })
    }
}

fn check_pipeline(pipeline: &Pipeline, place: &str, seen: &mut Seen) -> Result<(), InvalidDataset> {
    seen.once("pipeline", &pipeline.id, place)?;
    for (at, stage) in pipeline.stages.iter().enumerate() {
        seen.once("stage", &stage.id, &format!("{place}.stages[{at}]"))?;
    }
    let mut positions: Vec<u32> = pipeline.stages.iter().map(|stage| stage.position).collect();
    positions.sort_unstable();
    if positions.is_empty() || !positions.into_iter().eq((1..).take(pipeline.stages.len())) {
        let rule = "must be at least one, with the positions 1, 2, 3 and so on";
        return Err(InvalidDataset::new(format_args!("{place}.stages"), rule));
    }
    Ok(())
}

impl RawLead {
    fn check(self, place: &str, clients: &HashSet<&ClientId>, pipelines: &[Pipeline]) -> Result<Lead, InvalidDataset> {
        let wrong = |reason: &dyn fmt::Display| InvalidDataset::new(place, reason);
        let new = NewLead {
            client_id: self.client_id,
            name: self.name,
            email: self.email,
            phone: self.phone,
            source: self.source,
            notes: self.notes,
            value: self.value,
            pipeline_id: self.pipeline_id,
            stage_id: self.stage_id,
            business_name: self.business_name,
        };
        let draft = new.check().map_err(|faults| wrong(&faults))?;
        let named = draft.named();
        let first_stage = |id: &PipelineId| {
            let stages = &pipelines.iter().find(|pipeline| pipeline.id == *id)?.stages;
            stages.iter().min_by_key(|stage| stage.position).map(|stage| stage.id.clone())
        };
        let home = |id: &StageId| {
            let home = pipelines.iter().find(|pipeline| pipeline.stages.iter().any(|stage| stage.id == *id));
            home.map(|pipeline| pipeline.id.clone())
        };
        let references = References {
            client_exists: named.client.is_some_and(|id| clients.contains(id)),
            first_stage: named.pipeline.and_then(first_stage),
            stage_pipeline: named.stage.and_then(home),
        };
        let stamp = Stamp { id: self.id, at: self.created_at };
        draft.into_lead(stamp, &references).map_err(|reference| wrong(&reference))
    }
}

impl RawToken {
    fn check(self, place: &str, seen: &mut Seen) -> Result<TokenSeed, InvalidDataset> {
        let secret = self.token.map(|text| {
            let secret = BearerToken::parse(&text).ok().filter(BearerToken::has_good_checksum);
            let wrong = || InvalidDataset::new(format_args!("{place}.token"), "is no token, or its checksum is wrong");
            secret.ok_or_else(wrong)
        });
        let secret = secret.transpose()?;
        if let Some(secret) = &secret
            && !seen.ids.insert(("token", format!("{:?}", secret.hash().to_bytes())))
        {
            return Err(InvalidDataset::new(format_args!("{place}.token"), "stands twice"));
        }
        Ok(TokenSeed {
            name: self.name,
            scopes: self.scopes,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
            secret,
        })
    }
}
