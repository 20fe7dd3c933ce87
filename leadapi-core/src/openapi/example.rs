//! Examples from the server's sample data, so readers can try them against the `demo` server.

use serde_json::{Map, Value, json};
use uuid::{Uuid, uuid};

use crate::{
    id::{ClientId, LeadId, PipelineId, StageId},
    model::{ClientAccount, Lead, LeadItem, LeadPatch, NewLead, Page, Pipeline, Stage, Timestamp, Window},
};

const CLIENT: Uuid = uuid!("019bb17b-d806-7737-af83-b92ecab0df7d");
const PIPELINE: Uuid = uuid!("019bb18f-09a0-7acc-837b-e75179b660f7");
const STAGE: Uuid = uuid!("019bb18f-09a3-7859-b0cb-e0a0e18fadf1");

/// Returns the examples, keyed by their descriptions.
pub(super) fn named<'a>(examples: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    examples.into_iter().map(|(when, value)| (when.to_owned(), json!({ "value": value }))).collect()
}

/// Returns a lead with every field of a list item set.
pub(super) fn lead() -> Lead {
    let id = LeadId::from(uuid!("019df1fe-aa24-7216-ab13-247ee211394a"));
    let mut lead = Lead::new(id, ClientId::from(CLIENT), "Élodie Fournier", at("2026-05-04T07:58:12.004Z"));
    lead.email = Some("elodie.fournier@example.fr".into());
    lead.phone = Some("+33 1 99 00 14 20".into());
    lead.source = Some("website".into());
    lead.notes = Some("Wants whitening before a wedding in July.".into());
    lead.value = Some(450.into());
    lead.pipeline_id = Some(PipelineId::from(PIPELINE));
    lead.stage_id = Some(StageId::from(STAGE));
    lead
}

/// Returns two example request bodies for a create: a minimal one and a detailed one.
pub(super) fn creates() -> [(&'static str, Value); 2] {
    let client = ClientId::from(CLIENT);
    let long = NewLead::new(&client, "Élodie Fournier")
        .email("elodie.fournier@example.fr")
        .phone("+33 1 99 00 14 20")
        .source("website")
        .notes("Wants whitening before a wedding in July.")
        .value(450)
        .stage(&StageId::from(STAGE));
    [("Required fields only", json!(NewLead::new(&client, "Ada Lovelace"))), ("Detailed lead", json!(long))]
}

/// Returns the lead that the detailed create produces.
pub(super) fn created() -> Value {
    json!(lead())
}

pub(super) fn patches() -> [(&'static str, Value); 2] {
    let change = LeadPatch::new().notes("Wants a call.").clear_phone();
    [
        ("Set one field and clear another", json!(change)),
        ("Move to the first stage of a pipeline", json!(LeadPatch::new().pipeline(&PipelineId::from(PIPELINE)))),
    ]
}

pub(super) fn updated() -> Value {
    let mut lead = lead();
    lead.notes = Some("Wants a call.".into());
    lead.phone = None;
    json!(lead)
}

pub(super) fn leads() -> Value {
    json!(Page::new(vec![LeadItem::from(lead())], 38, Window::default()))
}

pub(super) fn pipelines() -> Value {
    let stages = [
        (uuid!("019bb18f-09a1-7e0c-97dd-8983a0da0930"), "Requested"),
        (uuid!("019bb18f-09a2-7ad4-82d9-5cd8ce412832"), "Confirmed"),
        (STAGE, "Attended"),
        (uuid!("019bb18f-09a4-7344-82b5-bdc857debed7"), "No-show"),
    ];
    let stages = stages.into_iter().zip(1..).map(|((id, name), at)| Stage::new(StageId::from(id), name, at)).collect();
    let pipeline = Pipeline::new(PipelineId::from(PIPELINE), "Appointments", stages, at("2026-01-12T09:35:00.000Z"));
    json!(Page::new(vec![pipeline], 3, Window::default()))
}

pub(super) fn clients() -> Value {
    let account = ClientAccount::new(ClientId::from(CLIENT), "Lumière Dental Studio", at("2026-01-12T09:14:02.118Z"));
    json!(Page::new(vec![account], 4, Window::default()))
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap_or(Timestamp::UNIX_EPOCH)
}
