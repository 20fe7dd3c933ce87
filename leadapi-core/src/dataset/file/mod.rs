//! A data set as it stands in a file, and every check that it must pass (contract D4, D6, D8).

use std::{collections::HashSet, fmt};

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::{BusinessSeed, InvalidDataset, MemberSeed, TokenSeed, directory::Directory};
use crate::{
    auth::{BearerToken, Scopes},
    form::FormRecord,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId},
    model::{Amount, ClientAccount, Lead, NewLead, Pipeline, Stage, Timestamp},
    validate::Stamp,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with businesses")]
pub(super) struct RawDataset {
    pub(super) businesses: Vec<RawBusiness>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBusiness {
    id: BusinessId,
    name: String,
    created_at: Timestamp,
    #[serde(default)]
    members: Vec<MemberSeed>,
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
}

// The types of the wire pass over what they do not know; in a file, that would be a slip of the pen.

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
pub(super) struct Seen {
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
    pub(super) fn check(self, place: &str, seen: &mut Seen) -> Result<BusinessSeed, InvalidDataset> {
        seen.once("business", &self.id, place)?;
        check_name(&self.name, place)?;
        let clients = each(self.clients, place, "clients", |raw, place| raw.check(place, seen))?;
        let pipelines = each(self.pipelines, place, "pipelines", |raw, place| raw.check(place, seen))?;
        let directory = Directory::new(&clients, &pipelines);
        let leads = each(self.leads, place, "leads", |raw, place| raw.check(place, &directory, seen))?;
        let forms = each(self.forms, place, "forms", |form, place| check_form(form, place, &directory, seen))?;
        let tokens = each(self.tokens, place, "tokens", |raw, place| raw.check(place, seen))?;
        Ok(BusinessSeed {
            id: self.id,
            name: self.name,
            created_at: self.created_at,
            members: self.members,
            clients,
            pipelines,
            leads,
            forms,
            tokens,
        })
    }
}

/// Checks the elements of an array, each with its place.
fn each<R, T>(
    raw: Vec<R>,
    place: &str,
    key: &str,
    mut check: impl FnMut(R, &str) -> Result<T, InvalidDataset>,
) -> Result<Vec<T>, InvalidDataset> {
    raw.into_iter().enumerate().map(|(at, raw)| check(raw, &format!("{place}.{key}[{at}]"))).collect()
}

fn check_name(name: &str, place: &str) -> Result<(), InvalidDataset> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        let rule = "must not be blank, and must not contain control characters";
        return Err(InvalidDataset::new(format_args!("{place}.name"), rule));
    }
    Ok(())
}

impl RawClient {
    fn check(self, place: &str, seen: &mut Seen) -> Result<ClientAccount, InvalidDataset> {
        seen.once("client account", &self.id, place)?;
        check_name(&self.name, place)?;
        Ok(ClientAccount::new(self.id, self.name, self.created_at))
    }
}

impl RawPipeline {
    fn check(self, place: &str, seen: &mut Seen) -> Result<Pipeline, InvalidDataset> {
        seen.once("pipeline", &self.id, place)?;
        check_name(&self.name, place)?;
        let mut positions: Vec<u32> = self.stages.iter().map(|stage| stage.position).collect();
        positions.sort_unstable();
        if positions.is_empty() || !positions.into_iter().eq((1..).take(self.stages.len())) {
            let rule = "must be at least one, with the positions 1, 2, 3 and so on";
            return Err(InvalidDataset::new(format_args!("{place}.stages"), rule));
        }
        let mut stages = each(self.stages, place, "stages", |raw, place| {
            seen.once("stage", &raw.id, place)?;
            check_name(&raw.name, place)?;
            Ok(Stage::new(raw.id, raw.name, raw.position))
        })?;
        stages.sort_by_key(|stage| stage.position);
        Ok(Pipeline::new(self.id, self.name, stages, self.created_at))
    }
}

/// A form is kept as it is, but for what it names: that must be there.
fn check_form(
    record: FormRecord,
    place: &str,
    directory: &Directory,
    seen: &mut Seen,
) -> Result<FormRecord, InvalidDataset> {
    let place = format!("{place}.form");
    let wrong = |key: &str, rule: &str| Err(InvalidDataset::new(format_args!("{place}.{key}"), rule));
    let Some(form) = record.form.get() else { return Err(InvalidDataset::new(place, "must be an object")) };
    let Some(id) = form.id.as_str() else { return wrong("id", "must be a string") };
    seen.once("form", id, &place)?;
    if form.client_id.as_str().is_some_and(|id| !directory.has_client(id)) {
        return wrong("client_id", "no such client account in this business");
    }
    if form.target_pipeline_id.as_str().is_some_and(|id| !directory.has_pipeline(id)) {
        return wrong("target_pipeline_id", "no such pipeline");
    }
    Ok(record)
}

impl RawLead {
    fn check(self, place: &str, directory: &Directory, seen: &mut Seen) -> Result<Lead, InvalidDataset> {
        seen.once("lead", &self.id, place)?;
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
        let draft = new.check().map_err(|faults| InvalidDataset::new(place, faults))?;
        let references = directory.look_up(draft.named());
        let stamp = Stamp { id: self.id, at: self.created_at };
        draft.into_lead(stamp, &references).map_err(|reference| InvalidDataset::new(place, reference))
    }
}

impl RawToken {
    fn check(self, place: &str, seen: &mut Seen) -> Result<TokenSeed, InvalidDataset> {
        check_name(&self.name, place)?;
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
