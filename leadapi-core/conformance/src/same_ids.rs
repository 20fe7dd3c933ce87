//! Checks with two businesses whose records have the same ids. Each business can access only its own records (contract
//! 5.6).

use std::sync::Arc;

use leadapi_core::{
    BoxError,
    auth::Author,
    model::{IdempotencyKey, Lead, LeadPatch, LeadQuery, NewLead, Window},
    port::{Created, Idempotency, Listed, Store, Updated},
    validate::InvalidReference,
};

use super::{CheckResult, business, client, draft, edit, lead_id, meta, page, pipeline, same, stage};

/// Every id exists in both businesses, but the two records with the same id differ at least in their names.
pub(super) const SAME_IDS: &str = r#"{"businesses": [
    {"id": "b1", "name": "One", "created_at": "2026-01-01T00:00:00Z",
     "clients": [
        {"id": "c1", "name": "Apple", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c2", "name": "Bread", "created_at": "2026-01-02T00:00:00Z"}],
     "pipelines": [
        {"id": "p1", "name": "First", "created_at": "2026-02-01T00:00:00Z", "stages": [
            {"id": "s1", "name": "New", "position": 1}, {"id": "s2", "name": "Then", "position": 2}]},
        {"id": "p2", "name": "Second", "created_at": "2026-02-02T00:00:00Z", "stages": [
            {"id": "s3", "name": "Only", "position": 1}]}],
     "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "value": 1, "stage_id": "s2",
        "created_at": "2026-03-01T00:00:00Z"}]},
    {"id": "b2", "name": "Two", "created_at": "2026-01-01T00:00:00Z",
     "clients": [
        {"id": "c1", "name": "Water", "created_at": "2026-01-03T00:00:00Z"},
        {"id": "c2", "name": "Vine", "created_at": "2026-01-04T00:00:00Z"}],
     "pipelines": [
        {"id": "p2", "name": "First here", "created_at": "2026-02-03T00:00:00Z", "stages": [
            {"id": "s2", "name": "First here", "position": 1}, {"id": "s1", "name": "Later", "position": 2}]},
        {"id": "p1", "name": "Second here", "created_at": "2026-02-04T00:00:00Z", "stages": [
            {"id": "s3", "name": "Only here", "position": 1}]}],
     "leads": [{"id": "l1", "client_id": "c2", "name": "Bo", "value": 2, "stage_id": "s1",
        "created_at": "2026-03-02T00:00:00Z"}]}
]}"#;

const BOTH: [&str; 2] = ["b1", "b2"];

/// Reads the lead with this id in one business.
async fn read(store: &impl Store, owner: &str, id: &str) -> Result<Option<Arc<Lead>>, BoxError> {
    Ok(store.get(&business(owner), &lead_id(id)).await?)
}

/// Returns a lead's name, client account, pipeline and stage, separated by spaces.
fn summary(lead: &Lead) -> String {
    let place = lead.pipeline_id.iter().map(ToString::to_string).chain(lead.stage_id.iter().map(ToString::to_string));
    [lead.name.clone(), lead.client_id.to_string()].into_iter().chain(place).collect::<Vec<_>>().join(" ")
}

/// Returns the `summary` of each lead that matches a query, and the total.
async fn found(store: &impl Store, owner: &str, query: &LeadQuery) -> Result<(Vec<String>, u64), BoxError> {
    let page = page(store, owner, query).await?;
    Ok((page.data.iter().map(|lead| summary(lead)).collect(), page.total))
}

fn one(summary: &str) -> (Vec<String>, u64) {
    (vec![summary.to_owned()], 1)
}

pub(super) async fn reads_own_records(store: &impl Store) -> CheckResult {
    for (owner, lead, clients, pipelines, stages) in [
        ("b1", "Ann c1 p1 s2", "Apple Bread", "First Second", "New Then Only"),
        ("b2", "Bo c2 p2 s1", "Vine Water", "First here Second here", "First here Later Only here"),
    ] {
        let read = read(store, owner, "l1").await?;
        same("the lead", &read.map(|lead| summary(&lead)), &Some(lead.to_owned()))?;
        same("the list", &found(store, owner, &LeadQuery::new()).await?, &one(lead))?;
        let page = store.clients(&business(owner), Window::default()).await?;
        let names: Vec<&str> = page.data.iter().map(|client| client.name.as_str()).collect();
        same("the client accounts", &(names.join(" ").as_str(), page.total), &(clients, 2))?;
        let page = store.pipelines(&business(owner), Window::default()).await?;
        let names: Vec<&str> = page.data.iter().map(|pipeline| pipeline.name.as_str()).collect();
        same("the pipelines", &(names.join(" ").as_str(), page.total), &(pipelines, 2))?;
        let names = page.data.iter().flat_map(|pipeline| &pipeline.stages).map(|stage| stage.name.as_str());
        same("their stages", &names.collect::<Vec<_>>().join(" ").as_str(), &stages)?;
    }
    for (owner, filter, lead) in [
        ("b1", LeadQuery::new().client(client("c1")), "Ann c1 p1 s2"),
        ("b1", LeadQuery::new().stage(stage("s2")), "Ann c1 p1 s2"),
        ("b2", LeadQuery::new().client(client("c2")), "Bo c2 p2 s1"),
        ("b2", LeadQuery::new().stage(stage("s1")), "Bo c2 p2 s1"),
    ] {
        same("a filter", &found(store, owner, &filter).await?, &one(lead))?;
        let other = if owner == "b1" { "b2" } else { "b1" };
        same("the same filter in the other business", &found(store, other, &filter).await?, &(vec![], 0))?;
    }
    Ok(())
}

pub(super) async fn changes_own_records(store: &impl Store) -> CheckResult {
    let theirs = read(store, "b2", "l1").await?;
    let everything =
        LeadPatch::new().name("Cy").email("a@b.c").value(7).clear_source().pipeline(&pipeline("p2")).notes("n");
    store.update(&business("b1"), &Author::Host, &lead_id("l1"), &edit(&everything)?).await?;
    same("the other business's lead after a change", &read(store, "b2", "l1").await?, &theirs)?;
    same("our lead", &found(store, "b1", &LeadQuery::new()).await?, &one("Cy c1 p2 s3"))?;

    // The pipeline of a stage and the first stage of a pipeline come from the lead's own business.
    for (patch, places) in [
        (LeadPatch::new().stage(&stage("s1")), ["p1 s1", "p2 s1"]),
        (LeadPatch::new().stage(&stage("s3")), ["p2 s3", "p1 s3"]),
        (LeadPatch::new().pipeline(&pipeline("p1")), ["p1 s1", "p1 s3"]),
        (LeadPatch::new().pipeline(&pipeline("p2")), ["p2 s3", "p2 s2"]),
    ] {
        for (owner, place) in BOTH.into_iter().zip(places) {
            let outcome = store.update(&business(owner), &Author::Host, &lead_id("l1"), &edit(&patch)?).await?;
            let Updated::Changed(lead) = outcome else {
                return Err(format!("the lead was not moved: {outcome:?}").into());
            };
            same(&format!("the pipeline and stage in {owner}"), &summary(&lead).ends_with(place), &true)?;
        }
    }
    let both = edit(&LeadPatch::new().pipeline(&pipeline("p2")).stage(&stage("s1")))?;
    let outcome = store.update(&business("b1"), &Author::Host, &lead_id("l1"), &both).await?;
    same("a pair that matches only in the other business", &outcome, &Updated::Refused(InvalidReference::Mismatch))?;

    let theirs = read(store, "b2", "l1").await?;
    same("deleting our lead", &store.delete(&business("b1"), &Author::Host, &lead_id("l1")).await?, &true)?;
    same("deleting it again", &store.delete(&business("b1"), &Author::Host, &lead_id("l1")).await?, &false)?;
    same("our leads after the delete", &found(store, "b1", &LeadQuery::new()).await?, &(vec![], 0))?;
    same("the other business's lead after the delete", &read(store, "b2", "l1").await?, &theirs)?;
    let again = NewLead::new(&client("c2"), "Di").stage(&stage("s2"));
    let outcome =
        store.create(&business("b1"), &Author::Host, meta("l1", "2026-03-03T00:00:00Z")?, draft(&again)?, None).await?;
    same("our lead created again", &matches!(outcome, Created::New(_)), &true)?;
    same("its pipeline and stage", &found(store, "b1", &LeadQuery::new()).await?, &one("Di c2 p1 s2"))?;
    same("the other business's lead after the create", &read(store, "b2", "l1").await?, &theirs)?;
    let query = LeadQuery::new().client(client("nobody"));
    same("a filter", &store.list(&business("b1"), &query).await?, &Listed::Refused(InvalidReference::Client))
}

/// Checks that the same key and body create one lead in each business, and that a replay returns the lead of the same
/// business.
pub(super) async fn replays_own_keys(store: &impl Store) -> CheckResult {
    let lead = NewLead::new(&client("c1"), "Eve").pipeline(&pipeline("p1"));
    let idempotency = Idempotency::new(IdempotencyKey::parse("k")?, draft(&lead)?.fingerprint());
    let create = async |owner: &str, id: &str, new: &NewLead, idempotency: &Idempotency| -> Result<Created, BoxError> {
        let meta = meta(id, "2026-05-04T12:00:00Z")?;
        Ok(store.create(&business(owner), &Author::Host, meta, draft(new)?, Some(idempotency)).await?)
    };
    let mut made = Vec::new();
    for (owner, place) in BOTH.into_iter().zip(["Eve c1 p1 s1", "Eve c1 p1 s3"]) {
        let outcome = create(owner, "l2", &lead, &idempotency).await?;
        let Created::New(lead) = outcome else { return Err(format!("the lead was not created: {outcome:?}").into()) };
        same("its pipeline and stage", &summary(&lead), &place.to_owned())?;
        made.push(lead);
    }
    store.delete(&business("b1"), &Author::Host, &lead_id("l2")).await?;
    for (owner, first) in BOTH.into_iter().zip(&made) {
        let outcome = create(owner, "l3", &lead, &idempotency).await?;
        same(&format!("the replay in {owner}"), &outcome, &Created::Replayed(first.clone()))?;
    }
    let other = NewLead::new(&client("c2"), "Eve");
    let reused = with!(idempotency, fingerprint: draft(&other)?.fingerprint());
    same("another body", &create("b2", "l3", &other, &reused).await?, &Created::KeyReused)
}
