//! Checks that no business can access the records of another business (contract 5.6, D2).

use leadapi_core::{
    auth::Author,
    model::{LeadPatch, LeadQuery, NewLead, Window},
    port::{Created, Listed, Store, Updated},
    validate::InvalidReference,
};

use super::{
    CheckResult, NOON, business, change, client, create, draft, edit, lead_id, listed, meta, new, page, pipeline, same,
    stage,
};

pub(super) async fn hides_leads_of_other_businesses(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("n")).await?;
    let patch = LeadPatch::new().name("taken");
    same("reading", &store.get(&business("b1"), &lead_id("m1")).await?, &None)?;
    same("changing", &change(store, "m1", &patch).await?, &Updated::Missing)?;
    same("deleting", &store.delete(&business("b1"), &Author::Host, &lead_id("m1")).await?, &false)?;
    same("listing", &listed(store, &LeadQuery::new()).await?, &(vec!["l1".to_owned()], 1))?;
    let theirs = page(store, "b2", &LeadQuery::new()).await?;
    let found: Vec<(&str, &str)> = theirs.data.iter().map(|lead| (lead.id.as_str(), lead.name.as_str())).collect();
    same("the leads of the other business", &(found, theirs.total), &(vec![("m1", "Ann")], 1))
}

pub(super) async fn hides_references_of_other_businesses(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("n")).await?;
    let cases = [
        (NewLead::new(&client("d1"), "n"), InvalidReference::Client),
        (new("n").stage(&stage("t1")), InvalidReference::Stage),
        (new("n").pipeline(&pipeline("q1")), InvalidReference::Pipeline),
        (new("n").pipeline(&pipeline("q1")).stage(&stage("t1")), InvalidReference::PipelineAndStage),
        (new("n").pipeline(&pipeline("p1")).stage(&stage("t1")), InvalidReference::Stage),
    ];
    for (lead, reference) in cases {
        let outcome = store.create(&business("b1"), &Author::Host, meta("l2", NOON)?, draft(&lead)?, None).await?;
        same("a create", &outcome, &Created::Refused(reference))?;
    }
    let moved = change(store, "l1", &LeadPatch::new().stage(&stage("t1"))).await?;
    same("a move", &moved, &Updated::Refused(InvalidReference::Stage))?;
    let moved = change(store, "l1", &LeadPatch::new().pipeline(&pipeline("q1"))).await?;
    same("a move by pipeline", &moved, &Updated::Refused(InvalidReference::Pipeline))
}

/// Checks that a business that the store does not know behaves like a business without records.
pub(super) async fn treats_an_unknown_business_as_empty(store: &impl Store) -> CheckResult {
    let unknown = business("b9");
    let outcome = store.create(&unknown, &Author::Host, meta("l1", NOON)?, draft(&new("n"))?, None).await?;
    same("a create", &outcome, &Created::Refused(InvalidReference::Client))?;
    same("a lead", &store.get(&unknown, &lead_id("m1")).await?, &None)?;
    let outcome =
        store.update(&unknown, &Author::Host, &lead_id("m1"), &edit(&LeadPatch::new().name("taken"))?).await?;
    same("a change", &outcome, &Updated::Missing)?;
    same("a removal", &store.delete(&unknown, &Author::Host, &lead_id("m1")).await?, &false)?;
    same("leads", &page(store, "b9", &LeadQuery::new()).await?.total, &0)?;
    let filtered = store.list(&unknown, &LeadQuery::new().client(client("c1")).stage(stage("s11"))).await?;
    same("leads of a client account", &filtered, &Listed::Refused(InvalidReference::Client))?;
    let filtered = store.list(&unknown, &LeadQuery::new().stage(stage("s11"))).await?;
    same("leads in a stage", &filtered, &Listed::Refused(InvalidReference::Stage))?;
    same("pipelines", &store.pipelines(&unknown, Window::default()).await?.total, &0)?;
    same("client accounts", &store.clients(&unknown, Window::default()).await?.total, &0)
}
