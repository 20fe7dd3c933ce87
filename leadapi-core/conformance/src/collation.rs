//! Checks that stores compare ids and names by code point, without case folding, locale-specific order or wildcards.

use leadapi_core::{
    auth::Author,
    id::StageId,
    model::{LeadPatch, LeadQuery, NewLead, Window},
    port::{Created, Listed, Store, Updated},
    validate::InvalidReference,
};

use super::{
    CheckResult, NOON, business, change, client, ids, lead_id, listed, page, pipeline, same, stage, try_create,
};

/// A data set with names and ids that a linguistic collation might treat as equal, or might not sort by code point.
pub(super) const SIMILAR_IDS: &str = r#"{"businesses": [
    {"id": "b1", "name": "Lower", "created_at": "2026-01-01T00:00:00Z",
     "clients": [
        {"id": "c_", "name": "🦀", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c1", "name": "ａ", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "C1", "name": "a\u0301", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c%", "name": "á", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c\\", "name": "a-b", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c'", "name": "ab", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c\"", "name": "a ", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c-", "name": "a", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c10", "name": "A", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c9", "name": "_", "created_at": "2026-01-01T00:00:00Z"}],
     "pipelines": [
        {"id": "p1", "name": "Lower", "created_at": "2026-02-01T00:00:00Z", "stages": [
            {"id": "s1", "name": "One", "position": 1}, {"id": "s_", "name": "Any", "position": 2}]},
        {"id": "P1", "name": "Upper", "created_at": "2026-02-01T00:00:00Z", "stages": [
            {"id": "S1", "name": "One", "position": 1}, {"id": "s%", "name": "All", "position": 2}]},
        {"id": "p_", "name": "Any", "created_at": "2026-02-01T00:00:00Z", "stages": [
            {"id": "s10", "name": "Ten", "position": 1}]}]},
    {"id": "B1", "name": "Upper", "created_at": "2026-01-01T00:00:00Z",
     "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}],
     "leads": [{"id": "upper", "client_id": "c1", "name": "Ann", "created_at": "2026-03-01T00:00:00Z"}]},
    {"id": "b_", "name": "Any", "created_at": "2026-01-01T00:00:00Z",
     "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}],
     "leads": [{"id": "any", "client_id": "c1", "name": "Bo", "created_at": "2026-03-01T00:00:00Z"}]}
]}"#;

/// Lead ids in code point order.
const LEADS: [&str; 16] = ["!", "\"", "%", "'", "-", "10", "9", "A", "B", "\\", "_", "a", "a-b", "aB", "ab", "~"];

async fn create(store: &impl Store, id: &str, lead: &NewLead) -> CheckResult {
    let outcome = try_create(store, id, NOON, lead, None).await?;
    if matches!(outcome, Created::New(_)) { Ok(()) } else { Err(format!("{id} was not created: {outcome:?}").into()) }
}

pub(super) async fn orders_by_code_points(store: &impl Store) -> CheckResult {
    for at in 0..LEADS.len() {
        // Creates the leads in shuffled order. 7 and 16 are coprime, so each lead is created once.
        let id = LEADS.get(at * 7 % LEADS.len()).copied().unwrap_or_default();
        create(store, id, &NewLead::new(&client("c1"), "n")).await?;
    }
    let descending: Vec<&str> = LEADS.into_iter().rev().collect();
    same("leads with one timestamp", &listed(store, &LeadQuery::new()).await?, &(ids(&descending), 16))?;
    let clients = store.clients(&business("b1"), Window::default()).await?.data;
    let found: Vec<&str> = clients.iter().map(|client| client.name.as_str()).collect();
    same("client accounts", &found, &vec!["A", "_", "a", "a ", "a-b", "ab", "a\u{301}", "á", "ａ", "🦀"])?;
    let pipelines = store.pipelines(&business("b1"), Window::default()).await?.data;
    let found: Vec<&str> = pipelines.iter().map(|pipeline| pipeline.id.as_str()).collect();
    same("pipelines with one timestamp", &found, &vec!["P1", "p1", "p_"])
}

/// Checks that ids that differ only in case identify different records. If only one of the records exists, a lookup
/// with the other id must find nothing.
pub(super) async fn distinguishes_similar_ids(store: &impl Store) -> CheckResult {
    let owner = business("b1");
    create(store, "l1", &NewLead::new(&client("c1"), "lower").stage(&stage("s1"))).await?;
    let upper = lead_id("L1");
    same("reading", &store.get(&owner, &upper).await?, &None)?;
    same("changing", &change(store, "L1", &LeadPatch::new().name("m")).await?, &Updated::Missing)?;
    same("deleting", &store.delete(&owner, &Author::Host, &upper).await?, &false)?;

    create(store, "L1", &NewLead::new(&client("C1"), "upper").stage(&stage("S1"))).await?;
    for (query, id) in [
        (LeadQuery::new().client(client("c1")), "l1"),
        (LeadQuery::new().client(client("C1")), "L1"),
        (LeadQuery::new().stage(stage("s1")), "l1"),
        (LeadQuery::new().stage(stage("S1")), "L1"),
    ] {
        same("a filter", &listed(store, &query).await?, &(ids(&[id]), 1))?;
    }
    change(store, "L1", &LeadPatch::new().pipeline(&pipeline("p1"))).await?;
    for (id, name, place) in [("l1", "lower", "s1"), ("L1", "upper", "s1")] {
        let lead = store.get(&owner, &lead_id(id)).await?;
        let found = lead.as_ref().map(|lead| (lead.name.as_str(), lead.stage_id.as_ref().map(StageId::as_str)));
        same(id, &found, &Some((name, Some(place))))?;
    }
    same("deleting one", &store.delete(&owner, &Author::Host, &upper).await?, &true)?;
    same("the remaining leads", &listed(store, &LeadQuery::new()).await?, &(ids(&["l1"]), 1))?;

    for (id, reference) in [("C9", InvalidReference::Client), ("C_", InvalidReference::Client)] {
        let outcome = try_create(store, "l2", NOON, &NewLead::new(&client(id), "n"), None).await?;
        same("a client account id in another case", &outcome, &Created::Refused(reference))?;
    }
    let moved = change(store, "l1", &LeadPatch::new().stage(&stage("S10"))).await?;
    same("a stage id in another case", &moved, &Updated::Refused(InvalidReference::Stage))?;
    let moved = change(store, "l1", &LeadPatch::new().pipeline(&pipeline("P_"))).await?;
    same("a pipeline id in another case", &moved, &Updated::Refused(InvalidReference::Pipeline))?;
    let theirs = page(store, "B1", &LeadQuery::new()).await?;
    let found: Vec<&str> = theirs.data.iter().map(|lead| lead.id.as_str()).collect();
    same("a business id in another case", &(found, theirs.total), &(vec!["upper"], 1))
}

/// Checks that characters that are wildcards in some query languages match only themselves.
pub(super) async fn treats_wildcards_literally(store: &impl Store) -> CheckResult {
    let owner = business("b1");
    create(store, "l1", &NewLead::new(&client("c1"), "plain").stage(&stage("s1"))).await?;
    create(store, "l10", &NewLead::new(&client("c10"), "plain").stage(&stage("s10"))).await?;
    for id in ["l_", "l%", "l*", "l?", "l\\", "l1\\", "l1'--", "%", "_", "_1", "l1\"", "[l]1"] {
        same(id, &store.get(&owner, &lead_id(id)).await?, &None)?;
        same(id, &change(store, id, &LeadPatch::new().name("m")).await?, &Updated::Missing)?;
        same(id, &store.delete(&owner, &Author::Host, &lead_id(id)).await?, &false)?;
    }
    for id in ["c_", "c%"] {
        same(id, &listed(store, &LeadQuery::new().client(client(id))).await?, &(vec![], 0))?;
    }
    for id in ["s_", "s%"] {
        same(id, &listed(store, &LeadQuery::new().stage(stage(id))).await?, &(vec![], 0))?;
    }
    for query in [LeadQuery::new().client(client("%")), LeadQuery::new().client(client("c*"))] {
        same("a filter", &store.list(&owner, &query).await?, &Listed::Refused(InvalidReference::Client))?;
    }
    // Ids may contain wildcard characters.
    for (id, owner) in [("l_", "c_"), ("l%", "c%"), ("l\\", "c\\"), ("l'", "c'"), ("l\"", "c\""), ("l-", "c-")] {
        create(store, id, &NewLead::new(&client(owner), id)).await?;
        let query = LeadQuery::new().client(client(owner));
        same(id, &listed(store, &query).await?, &(ids(&[id]), 1))?;
        change(store, id, &LeadPatch::new().source("changed")).await?;
    }
    let all = page(store, "b1", &LeadQuery::new()).await?;
    let untouched = all.data.iter().filter(|lead| lead.name == "plain" && lead.source.is_none());
    same("the other leads", &(untouched.count(), all.total), &(2, 8))?;
    let theirs = page(store, "b_", &LeadQuery::new()).await?;
    let found: Vec<&str> = theirs.data.iter().map(|lead| lead.id.as_str()).collect();
    same("a business whose id looks like a wildcard", &(found, theirs.total), &(vec!["any"], 1))
}
