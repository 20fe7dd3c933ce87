//! Checks of lead updates and deletions (contract D5, D6).

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    auth::Author,
    model::{Change, LeadPatch, LeadQuery},
    port::{Store, Updated},
    validate::{InvalidReference, OPTIONAL_TEXTS},
};

use super::{CheckResult, NOON, business, change, create, ids, lead_id, listed, new, pipeline, same, sample, stage};

pub(super) async fn applies_a_merge_patch(store: &impl Store) -> CheckResult {
    let before = create(store, "l1", NOON, &new("n").email("a@b.c").source("web").value(7)).await?;
    let patch = LeadPatch::new().clear_email().phone("112").value(8);
    let outcome = change(store, "l1", &patch).await?;
    let mut expected = (*before).clone();
    expected.email = None;
    expected.phone = Some("112".into());
    expected.value = Some(8.into());
    same("the returned lead", &outcome, &Updated::Changed(expected.clone().into()))?;
    let read = store.get(&business("b1"), &lead_id("l1")).await?;
    same("the lead read again", &read.as_deref(), &Some(&expected))?;
    let missing = change(store, "nobody", &patch).await?;
    same("a missing lead", &missing, &Updated::Missing)
}

/// Checks that the last value of each field wins, and that a cleared field equals a field that was never set.
pub(super) async fn sets_and_clears_every_field(store: &impl Store) -> CheckResult {
    let bare = create(store, "l1", NOON, &new("n")).await?;
    let mut full = (*bare).clone();
    for (nth, (name, number, place)) in [("Zoë 🦀", 0.1, "s12"), ("\\ ' % _", f64::MIN, "s11")].into_iter().enumerate()
    {
        let mut patch = LeadPatch::new().name(name).value(number).stage(&stage(place));
        full.name = name.into();
        full.value = Some(number.try_into()?);
        (full.pipeline_id, full.stage_id) = (Some(pipeline("p1")), Some(stage(place)));
        for field in OPTIONAL_TEXTS {
            let text = sample(field, nth);
            *field.in_patch(&mut patch) = Change::Set(text.clone());
            *field.get_mut(&mut full) = Some(text);
        }
        let outcome = change(store, "l1", &patch).await?;
        same("everything set", &outcome, &Updated::Changed(full.clone().into()))?;
        let read = store.get(&business("b1"), &lead_id("l1")).await?;
        same("everything read again", &read.as_deref(), &Some(&full))?;
    }
    let mut patch = LeadPatch::new().name("n").clear_value().clear_pipeline();
    for field in OPTIONAL_TEXTS {
        *field.in_patch(&mut patch) = Change::Clear;
    }
    same("everything cleared", &change(store, "l1", &patch).await?, &Updated::Changed(bare.clone()))?;
    let read = store.get(&business("b1"), &lead_id("l1")).await?;
    same("the cleared lead read again", &read, &Some(bare))
}

pub(super) async fn assigns_pipeline_and_stage(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("n")).await?;
    let cases = [
        (LeadPatch::new().stage(&stage("s12")), "p1 s12"),
        (LeadPatch::new().name("m"), "p1 s12"),
        (LeadPatch::new().pipeline(&pipeline("p1")), "p1 s12"),
        (LeadPatch::new().pipeline(&pipeline("p2")), "p2 s21"),
        (LeadPatch::new().pipeline(&pipeline("p1")), "p1 s11"),
        (LeadPatch::new().clear_pipeline(), ""),
    ];
    for (patch, place) in cases {
        let Updated::Changed(lead) = change(store, "l1", &patch).await? else {
            return Err(format!("{patch:?} was not applied").into());
        };
        let found =
            lead.pipeline_id.iter().map(ToString::to_string).chain(lead.stage_id.iter().map(ToString::to_string));
        same("the pipeline and stage", &found.collect::<Vec<_>>().join(" "), &place.to_owned())?;
    }
    Ok(())
}

/// Checks that a moved lead is listed under its new stage, and keeps its position in the order.
pub(super) async fn moves_between_lists(store: &impl Store) -> CheckResult {
    for (id, at) in [("l1", "2026-05-01T00:00:00Z"), ("l2", "2026-05-02T00:00:00Z"), ("l3", "2026-05-03T00:00:00Z")] {
        create(store, id, at, &new(id).stage(&stage("s11"))).await?;
    }
    change(store, "l2", &LeadPatch::new().stage(&stage("s12")).name("aaa")).await?;
    let in_stage = |id| LeadQuery::new().stage(stage(id));
    same("the stage it left", &listed(store, &in_stage("s11")).await?, &(ids(&["l3", "l1"]), 2))?;
    same("the stage it entered", &listed(store, &in_stage("s12")).await?, &(ids(&["l2"]), 1))?;
    same("all", &listed(store, &LeadQuery::new()).await?, &(ids(&["l3", "l2", "l1"]), 3))?;
    change(store, "l2", &LeadPatch::new().clear_pipeline()).await?;
    same("the stage after the pipeline was cleared", &listed(store, &in_stage("s12")).await?, &(vec![], 0))?;
    store.delete(&business("b1"), &Author::Host, &lead_id("l3")).await?;
    same("the stage of the deleted lead", &listed(store, &in_stage("s11")).await?, &(ids(&["l1"]), 1))?;
    same("the remaining leads", &listed(store, &LeadQuery::new()).await?, &(ids(&["l2", "l1"]), 2))
}

pub(super) async fn refuses_missing_references(store: &impl Store) -> CheckResult {
    let before = create(store, "l1", NOON, &new("n").stage(&stage("s12"))).await?;
    let cases = [
        (LeadPatch::new().stage(&stage("nothing")), InvalidReference::Stage),
        (LeadPatch::new().pipeline(&pipeline("nothing")), InvalidReference::Pipeline),
        (LeadPatch::new().pipeline(&pipeline("p2")).stage(&stage("s12")), InvalidReference::Mismatch),
    ];
    for (patch, reference) in cases {
        let outcome = change(store, "l1", &patch.clone().name("changed")).await?;
        same("the outcome", &outcome, &Updated::Refused(reference))?;
        let read = store.get(&business("b1"), &lead_id("l1")).await?;
        same("the lead after the refusal", &read.as_ref(), &Some(&before))?;
        // The store looks up the lead first, so a missing lead takes precedence over an invalid reference.
        same("a missing lead", &change(store, "nobody", &patch).await?, &Updated::Missing)?;
    }
    Ok(())
}

/// Checks that concurrent changes to different fields all take effect.
pub(super) async fn applies_concurrent_changes(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("n")).await?;
    let texts = OPTIONAL_TEXTS.map(|field| {
        let mut patch = LeadPatch::new();
        *field.in_patch(&mut patch) = Change::Set(sample(field, 0));
        patch
    });
    let others = [LeadPatch::new().value(7), LeadPatch::new().stage(&stage("s12"))];
    let patches = texts.iter().chain(&others);
    let outcomes = join_all(patches.map(|patch| change(store, "l1", patch))).await;
    outcomes.into_iter().collect::<Result<Vec<_>, BoxError>>()?;
    let Some(lead) = store.get(&business("b1"), &lead_id("l1")).await? else { return Err("the lead is gone".into()) };
    let kept = OPTIONAL_TEXTS.map(|field| field.get(&lead).is_some());
    same("the set texts", &kept, &[true; OPTIONAL_TEXTS.len()])?;
    same("the value and the stage", &[lead.value.is_some(), lead.stage_id.is_some()], &[true; 2])
}

pub(super) async fn deletes_once(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("n")).await?;
    let (owner, id) = (business("b1"), lead_id("l1"));
    same("the first time", &store.delete(&owner, &Author::Host, &id).await?, &true)?;
    same("the second time", &store.delete(&owner, &Author::Host, &id).await?, &false)?;
    same("the lead", &store.get(&owner, &id).await?, &None)?;
    same("a change", &change(store, "l1", &LeadPatch::new().name("m")).await?, &Updated::Missing)?;
    same("the list", &listed(store, &LeadQuery::new()).await?, &(vec![], 0))
}
