//! Checks for lists: order, paging, filters and totals (contract D3).

use leadapi_core::{
    model::{LeadQuery, NewLead, Window},
    port::{Listed, Store},
    validate::InvalidReference,
};

use super::{CheckResult, business, client, create, ids, listed, new, same, stage};

pub(super) async fn orders_and_pages(store: &impl Store) -> CheckResult {
    // The leads are created out of list order, and two of them share a timestamp.
    for (id, at) in [
        ("b", "2026-05-02T00:00:00.000Z"),
        ("a", "2026-05-03T00:00:00.000Z"),
        ("B", "2026-05-02T00:00:00.000Z"),
        ("c", "2026-05-02T00:00:00.001Z"),
        ("d", "2026-05-01T00:00:00.000Z"),
    ] {
        create(store, id, at, &new("n")).await?;
    }
    let all = ["a", "c", "b", "B", "d"];
    same("all", &listed(store, &LeadQuery::new()).await?, &(ids(&all), 5))?;
    for offset in 0..7 {
        for limit in 1..7 {
            let window = Window::new(limit, offset)?;
            let found = listed(store, &LeadQuery::new().window(window)).await?;
            same(&format!("{limit} after {offset}"), &found, &(ids(window.slice(&all)), 5))?;
        }
    }
    let far = Window::new(1, Window::MAX_OFFSET)?;
    same("a page far past the end", &listed(store, &LeadQuery::new().window(far)).await?, &(vec![], 5))
}

pub(super) async fn filters_and_counts(store: &impl Store) -> CheckResult {
    for (at, (owner, place)) in
        [("c1", "s11"), ("c1", "s12"), ("c2", "s11"), ("c2", ""), ("c1", "s11"), ("c1", "")].into_iter().enumerate()
    {
        let mut lead = NewLead::new(&client(owner), "n");
        lead.stage_id = Some(place.into());
        create(store, &format!("l{at}"), &format!("2026-05-0{}T00:00:00Z", at + 1), &lead).await?;
    }
    let by_client = LeadQuery::new().client(client("c1"));
    let by_stage = LeadQuery::new().stage(stage("s11"));
    let by_both = by_client.clone().stage(stage("s11"));
    same("leads of a client account", &listed(store, &by_client).await?, &(ids(&["l5", "l4", "l1", "l0"]), 4))?;
    same("leads in a stage", &listed(store, &by_stage).await?, &(ids(&["l4", "l2", "l0"]), 3))?;
    same("leads of a client account in a stage", &listed(store, &by_both).await?, &(ids(&["l4", "l0"]), 2))?;
    let second = by_both.window(Window::new(1, 1)?);
    same("the second of these leads", &listed(store, &second).await?, &(ids(&["l0"]), 2))?;
    let none = LeadQuery::new().client(client("c4")).stage(stage("s21"));
    same("a filter without matches", &listed(store, &none).await?, &(vec![], 0))
}

pub(super) async fn refuses_filters_of_other_businesses(store: &impl Store) -> CheckResult {
    let query = LeadQuery::new;
    for (query, reference) in [
        (query().client(client("d1")), InvalidReference::Client),
        (query().client(client("nobody")), InvalidReference::Client),
        (query().stage(stage("t1")), InvalidReference::Stage),
        (query().client(client("d1")).stage(stage("t1")), InvalidReference::Client),
        (query().client(client("c1")).stage(stage("t1")), InvalidReference::Stage),
    ] {
        let outcome = store.list(&business("b1"), &query).await?;
        same("the outcome", &outcome, &Listed::Refused(reference))?;
    }
    Ok(())
}

pub(super) async fn lists_pipelines_and_clients(store: &impl Store) -> CheckResult {
    let owner = business("b1");
    let pipelines = ["p1", "p2", "p3"];
    let clients = ["c2", "c1", "c3", "c4"];
    for (limit, offset) in [(50, 0), (1, 0), (1, 1), (2, 1), (1, 3), (200, Window::MAX_OFFSET)] {
        let window = Window::new(limit, offset)?;
        let page = store.pipelines(&owner, window).await?;
        let found: Vec<String> = page.data.iter().map(|pipeline| pipeline.id.to_string()).collect();
        same("pipelines, oldest first", &(found, page.total), &(ids(window.slice(&pipelines)), 3))?;
        same("their window", &(page.limit, page.offset), &(limit, offset))?;
        let page = store.clients(&owner, window).await?;
        let found: Vec<String> = page.data.iter().map(|client| client.id.to_string()).collect();
        same("client accounts, by name", &(found, page.total), &(ids(window.slice(&clients)), 4))?;
        same("their window", &(page.limit, page.offset), &(limit, offset))?;
    }
    let page = store.pipelines(&owner, Window::default()).await?;
    let stages = page.data.iter().flat_map(|pipeline| &pipeline.stages);
    let found: Vec<(&str, u32)> = stages.map(|stage| (stage.id.as_str(), stage.position)).collect();
    same("stages, by position", &found, &vec![("s11", 1), ("s12", 2), ("s21", 1), ("s31", 1)])
}
