//! Checks for creates with an idempotency key (contract D10).

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    auth::Author,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead},
    port::{Created, Idempotency, Store},
    validate::InvalidReference,
};

use super::{
    CheckResult, NOON, business, change, client, create, draft, lead_id, listed, meta, new, same, stage, timestamp,
    try_create,
};

fn idempotency(key: &str, lead: &NewLead) -> Result<Idempotency, BoxError> {
    Ok(Idempotency::new(IdempotencyKey::parse(key)?, draft(lead)?.fingerprint()))
}

async fn total(store: &impl Store) -> Result<u64, BoxError> {
    Ok(listed(store, &LeadQuery::new()).await?.1)
}

/// Checks that a replay returns the first response even if the lead has since been changed or deleted.
pub(super) async fn replays_the_first_response(store: &impl Store) -> CheckResult {
    let lead = new("n").stage(&stage("s11"));
    let idempotency = idempotency("k", &lead)?;
    let Created::New(first) = try_create(store, "l1", NOON, &lead, Some(&idempotency)).await? else {
        return Err("the first create did not succeed".into());
    };
    let replayed = Created::Replayed(first);
    same("at once", &try_create(store, "l2", NOON, &lead, Some(&idempotency)).await?, &replayed)?;
    change(store, "l1", &LeadPatch::new().name("changed").stage(&stage("s12"))).await?;
    same("after a change", &try_create(store, "l3", NOON, &lead, Some(&idempotency)).await?, &replayed)?;
    same("the leads", &total(store).await?, &1)?;
    store.delete(&business("b1"), &Author::Host, &lead_id("l1")).await?;
    same("after a delete", &try_create(store, "l4", NOON, &lead, Some(&idempotency)).await?, &replayed)?;
    same("the leads after the delete", &total(store).await?, &0)
}

pub(super) async fn detects_a_reused_key(store: &impl Store) -> CheckResult {
    let lead = new("n");
    try_create(store, "l1", NOON, &lead, Some(&idempotency("k", &lead)?)).await?;
    let other = new("m");
    let outcome = try_create(store, "l2", NOON, &other, Some(&idempotency("k", &other)?)).await?;
    same("another body", &outcome, &Created::KeyReused)?;
    // The store must check the key before it checks the references in the body.
    let mut dangling = new("n");
    dangling.client_id = Some("nobody".into());
    let outcome = try_create(store, "l3", NOON, &dangling, Some(&idempotency("k", &dangling)?)).await?;
    same("another body with an unknown client account", &outcome, &Created::KeyReused)?;
    // Keys are case-sensitive and scoped to one business.
    let outcome = try_create(store, "l4", NOON, &lead, Some(&idempotency("K", &lead)?)).await?;
    same("a key in another case", &matches!(outcome, Created::New(_)), &true)?;
    let theirs = NewLead::new(&client("d1"), "n");
    let key = idempotency("k", &theirs)?;
    let outcome = store.create(&business("b2"), &Author::Host, meta("l5", NOON)?, draft(&theirs)?, Some(&key)).await?;
    same("the key of another business", &matches!(outcome, Created::New(_)), &true)?;
    same("the leads", &total(store).await?, &2)
}

pub(super) async fn stores_keys_of_successes_only(store: &impl Store) -> CheckResult {
    let mut dangling = new("n");
    dangling.stage_id = Some("nothing".into());
    let outcome = try_create(store, "l1", NOON, &dangling, Some(&idempotency("k", &dangling)?)).await?;
    same("a refusal", &outcome, &Created::Refused(InvalidReference::Stage))?;
    let lead = new("n");
    let outcome = try_create(store, "l2", NOON, &lead, Some(&idempotency("k", &lead)?)).await?;
    same("a create after the refusal", &matches!(outcome, Created::New(_)), &true)?;
    // A failed create stores neither the lead nor the key.
    let failed = try_create(store, "l2", NOON, &lead, Some(&idempotency("k2", &lead)?)).await;
    same("an id that exists", &failed.is_err(), &true)?;
    let outcome = try_create(store, "l3", NOON, &lead, Some(&idempotency("k2", &lead)?)).await?;
    same("a create after the failure", &matches!(outcome, Created::New(_)), &true)
}

pub(super) async fn expires_keys_after_24_hours(store: &impl Store) -> CheckResult {
    let lead = new("n");
    let idempotency = idempotency("k", &lead)?;
    try_create(store, "l1", NOON, &lead, Some(&idempotency)).await?;
    let outcome = try_create(store, "l2", "2026-05-05T11:59:59.999Z", &lead, Some(&idempotency)).await?;
    same("just within a day", &matches!(outcome, Created::Replayed(_)), &true)?;
    let outcome = try_create(store, "l3", "2026-05-05T12:00:00.000Z", &lead, Some(&idempotency)).await?;
    same("after a day", &matches!(outcome, Created::New(_)), &true)?;
    let outcome = try_create(store, "l4", "2026-05-06T11:59:59.999Z", &lead, Some(&idempotency)).await?;
    let Created::Replayed(lead) = outcome else { return Err("the second create was not remembered".into()) };
    same("the remembered lead", &lead.id, &lead_id("l3"))?;
    same("its timestamp", &lead.created_at, &timestamp("2026-05-05T12:00:00.000Z")?)
}

pub(super) async fn creates_one_lead_for_concurrent_requests(store: &impl Store) -> CheckResult {
    create(store, "before", NOON, &new("n")).await?;
    let lead = new("duplicate");
    let idempotency = idempotency("k", &lead)?;
    let names: Vec<String> = (0..16).map(|number| format!("t{number}")).collect();
    let outcomes = join_all(names.iter().map(|id| try_create(store, id, NOON, &lead, Some(&idempotency)))).await;
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let created = outcomes.iter().filter_map(|outcome| match outcome {
        Created::New(lead) => Some(lead),
        _ => None,
    });
    let created: Vec<_> = created.collect();
    same("the number of created leads", &created.len(), &1)?;
    let first = created.first().map(|lead| (**lead).clone());
    let replays =
        outcomes.iter().filter(|outcome| matches!(outcome, Created::Replayed(lead) if Some(lead) == first.as_ref()));
    same("the number of replays", &replays.count(), &15)?;
    same("the leads", &total(store).await?, &2)
}
