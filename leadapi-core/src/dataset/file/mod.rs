//! The file format for data sets, and every check that a file must pass (contract D4, D6, D8, D10).

mod idempotency;
mod lead;
mod place;
mod token;
mod write;

use std::{collections::HashSet, fmt};

use serde::Deserialize;

use self::{
    idempotency::RawIdempotency,
    lead::RawLead,
    place::{Place, each},
    token::RawToken,
};
use super::{BusinessSeed, Dataset, InvalidDataset, MemberSeed, directory::Directory};
use crate::{
    auth::Role,
    form::FormRecord,
    id::{BusinessId, ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Lead, Pipeline, Stage, Timestamp},
    port::AuditEntry,
    validate::{self, NewLeadMeta, check_email, email_key},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with businesses")]
pub(super) struct RawDataset {
    businesses: Vec<RawBusiness>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBusiness {
    id: BusinessId,
    name: String,
    created_at: Timestamp,
    #[serde(default)]
    members: Vec<RawMember>,
    #[serde(default)]
    clients: Vec<RawClient>,
    #[serde(default)]
    pipelines: Vec<RawPipeline>,
    #[serde(default)]
    leads: Vec<RawLead>,
    #[serde(default)]
    forms: Vec<FormRecord>,
    #[serde(default)]
    tokens: Vec<RawToken>,
    #[serde(default)]
    idempotency: Vec<RawIdempotency>,
    #[serde(default)]
    audit: Vec<AuditEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMember {
    email: String,
    role: Role,
}

// The wire types ignore unknown keys. In a file, an unknown key is probably a typo, so these types reject it.

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClient {
    id: ClientId,
    name: String,
    created_at: Timestamp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPipeline {
    id: PipelineId,
    name: String,
    stages: Vec<RawStage>,
    created_at: Timestamp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStage {
    id: StageId,
    name: String,
    position: u32,
}

/// The keys read so far that must be unique. Each has a kind, such as `lead` or `token hash`. There is one set for the
/// whole file and one for each business.
#[derive(Default)]
struct Seen(HashSet<(&'static str, String)>);

impl Seen {
    fn once(
        &mut self,
        kind: &'static str,
        key: String,
        place: impl fmt::Display,
        rule: impl fmt::Display,
    ) -> Result<(), InvalidDataset> {
        if self.0.insert((kind, key)) { Ok(()) } else { Err(InvalidDataset::new(place, rule)) }
    }

    fn id(&mut self, kind: &'static str, id: &str, place: impl fmt::Display) -> Result<(), InvalidDataset> {
        let rule = format_args!("the {kind} id {id} occurs twice");
        self.once(kind, id.to_owned(), format_args!("{place}.id"), rule)
    }
}

impl RawDataset {
    pub(super) fn check(self) -> Result<Dataset, InvalidDataset> {
        let seen = &mut Seen::default();
        let businesses = each(self.businesses, None, "businesses", |raw, place| raw.check(place, seen))?;
        Ok(Dataset { businesses })
    }
}

impl RawBusiness {
    /// Checks a business. The ids of businesses, and the ids and hashes of tokens, must be unique in the whole file.
    /// All other ids must be unique within their business.
    fn check(self, place: &Place<'_>, in_file: &mut Seen) -> Result<BusinessSeed, InvalidDataset> {
        in_file.id("business", self.id.as_str(), place)?;
        check_name(&self.name, place)?;
        let seen = &mut Seen::default();
        let members = each(self.members, Some(place), "members", |raw, place| raw.check(place, seen))?;
        let clients = each(self.clients, Some(place), "clients", |raw, place| raw.check(place, seen))?;
        let pipelines = each(self.pipelines, Some(place), "pipelines", |raw, place| raw.check(place, seen))?;
        let directory = Directory::new(&clients, &pipelines);
        seen.0.reserve(self.leads.len());
        let leads = each(self.leads, Some(place), "leads", |raw, place| raw.check(place, &directory, seen))?;
        let forms = each(self.forms, Some(place), "forms", |form, place| check_form(form, place, &directory, seen))?;
        let tokens = each(self.tokens, Some(place), "tokens", |raw, place| raw.check(place, in_file))?;
        let idempotency = each(self.idempotency, Some(place), "idempotency", |raw, place| raw.check(place, seen))?;
        let audit = each(self.audit, Some(place), "audit", |entry, place| {
            seen.id("audit entry", entry.id.as_str(), place)?;
            Ok(entry)
        })?;
        let (id, name, created_at) = (self.id, self.name, self.created_at);
        Ok(BusinessSeed { id, name, created_at, members, clients, pipelines, leads, forms, tokens, idempotency, audit })
    }
}

fn check_name(name: &str, place: &Place<'_>) -> Result<(), InvalidDataset> {
    validate::check_name(name).map_err(|rule| InvalidDataset::new(format_args!("{place}.name"), rule))
}

impl RawMember {
    fn check(self, place: &Place<'_>, seen: &mut Seen) -> Result<MemberSeed, InvalidDataset> {
        let place = format!("{place}.email");
        check_email(&self.email).map_err(|rule| InvalidDataset::new(&place, rule))?;
        seen.once("member", email_key(&self.email), place, "occurs twice in this business, ignoring case")?;
        Ok(MemberSeed { email: self.email, role: self.role })
    }
}

impl RawClient {
    fn check(self, place: &Place<'_>, seen: &mut Seen) -> Result<ClientAccount, InvalidDataset> {
        seen.id("client account", self.id.as_str(), place)?;
        check_name(&self.name, place)?;
        Ok(ClientAccount::new(self.id, self.name, self.created_at))
    }
}

impl RawPipeline {
    fn check(self, place: &Place<'_>, seen: &mut Seen) -> Result<Pipeline, InvalidDataset> {
        seen.id("pipeline", self.id.as_str(), place)?;
        check_name(&self.name, place)?;
        let mut positions: Vec<u32> = self.stages.iter().map(|stage| stage.position).collect();
        positions.sort_unstable();
        if positions.is_empty() || !positions.into_iter().eq((1..).take(self.stages.len())) {
            let rule = "must be one or more stages with the positions 1, 2, 3 and so on";
            return Err(InvalidDataset::new(format_args!("{place}.stages"), rule));
        }
        let mut stages = each(self.stages, Some(place), "stages", |raw, place| {
            seen.id("stage", raw.id.as_str(), place)?;
            check_name(&raw.name, place)?;
            Ok(Stage::new(raw.id, raw.name, raw.position))
        })?;
        stages.sort_by_key(|stage| stage.position);
        Ok(Pipeline::new(self.id, self.name, stages, self.created_at))
    }
}

/// Returns the form unchanged if its id is valid and unique, and its client account and pipeline, if any, exist.
fn check_form(
    record: FormRecord,
    place: &Place<'_>,
    directory: &Directory,
    seen: &mut Seen,
) -> Result<FormRecord, InvalidDataset> {
    let wrong = |key: &str, rule: &str| Err(InvalidDataset::new(format_args!("{place}.form.{key}"), rule));
    let Some(form) = record.form.get() else {
        return Err(InvalidDataset::new(format_args!("{place}.form"), "must be an object"));
    };
    let Some(id) = form.id.as_str() else { return wrong("id", "must be a string") };
    let id = FormId::parse(id).map_err(|rule| InvalidDataset::new(format_args!("{place}.form.id"), rule))?;
    seen.id("form", id.as_str(), format_args!("{place}.form"))?;
    if form.client_id.as_str().is_some_and(|id| !directory.has_client(id)) {
        return wrong("client_id", "no such client account in this business");
    }
    if form.target_pipeline_id.as_str().is_some_and(|id| !directory.has_pipeline(id)) {
        return wrong("target_pipeline_id", "no such pipeline");
    }
    Ok(record)
}

impl RawLead {
    fn check(self, place: &Place<'_>, directory: &Directory, seen: &mut Seen) -> Result<Lead, InvalidDataset> {
        seen.id("lead", self.id.as_str(), place)?;
        let draft = self.new.check().map_err(|faults| InvalidDataset::new(place, faults))?;
        let references = directory.look_up(draft.required_lookups());
        let meta = NewLeadMeta::new(self.id, self.created_at);
        draft.into_lead(meta, &references).map_err(|reference| InvalidDataset::new(place, reference))
    }
}
