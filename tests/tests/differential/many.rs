//! Tests with thousands of leads. The SQL stores maintain lead counts in buckets, and split a bucket that grows too
//! large. The counts must equal the results of a full scan.

use std::{collections::BTreeSet, sync::Arc};

use leadapi_core::{
    auth::Author,
    id::{ClientId, LeadId},
    model::{LeadPatch, NewLead, Timestamp},
    port::Store,
    validate::NewLeadMeta,
};
use leadapi_tests::StoreKind;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    audit,
    fixture::{self, Tenant},
    operation,
    sides::{Check, Side, Sides, Stores},
};

/// The creation time of the first lead of the seed, in milliseconds.
const START: i64 = 1_767_225_600_000;
const MINUTE: i64 = 60_000;

/// Returns the leads of a business, one or two minutes apart. The leads of the two businesses interleave. An import
/// creates buckets of 1,024 leads.
fn leads(tenant: Tenant) -> Vec<Value> {
    let (many, every) = if tenant == Tenant::A { (5_000, 1) } else { (2_600, 2) };
    (0..many).map(|nth| lead(tenant, nth, START + nth * every * MINUTE)).collect()
}

/// Returns a lead id. For even numbers below 10,000, both businesses use the same id.
fn lead_id(tenant: Tenant, nth: i64) -> String {
    if nth % 2 == 0 && nth < 10_000 { format!("lead-{nth}") } else { fixture::own(tenant, &format!("lead-{nth}")) }
}

fn client(nth: i64) -> &'static str {
    fixture::CLIENTS[usize::from(nth % 3 == 0)]
}

fn stage(nth: i64) -> Option<&'static str> {
    [None, Some("stage-1"), Some("stage-2"), Some("stage-4")][usize::try_from(nth % 4).unwrap()]
}

fn moment(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(millis.abs()).unwrap()
}

fn lead(tenant: Tenant, nth: i64, at: i64) -> Value {
    json!({
        "id": lead_id(tenant, nth), "client_id": client(nth), "stage_id": stage(nth),
        "name": format!("{nth} {}", tenant.canary()), "created_at": moment(at).to_string(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_of_thousands_of_leads_equal_a_full_scan() {
    let seed = fixture::seed_with(leads);
    let stores = Stores::open(&seed).await;
    let sides = stores.begin().await;
    let whole = async || -> Check {
        for tenant in Tenant::BOTH {
            pages(&sides, tenant).await?;
        }
        audit::hidden_state(&sides, &seed).await
    };
    whole().await.unwrap();
    // Overfills one bucket in each of three ranges: before the first lead, among the existing leads, and after the last
    // lead. Then does the same in the other business, so that the buckets of the two businesses overlap.
    for (nth, tenant) in [(0, Tenant::A), (1, Tenant::B)] {
        // Ends earlier in the second business, so that the newest leads of the two have different times.
        let last = (5_300 - 50 * nth) * MINUTE;
        for (round, at) in [-2_000 * MINUTE, 1_500 * MINUTE + 7, last].into_iter().enumerate() {
            let first = 10_000 + 10_000 * nth + 2_000 * i64::try_from(round).unwrap();
            each(&sides, (0..1_300).map(move |step| create(tenant, first + step, START + at + step))).await;
        }
        whole().await.unwrap();
    }
    // Deletes a whole bucket, and moves some of the remaining leads to another stage.
    each(&sides, (0..1_100).map(|nth| Change::Remove(Tenant::A, lead_id(Tenant::A, nth)))).await;
    each(&sides, (1_100..1_700).map(|nth| Change::Move(Tenant::A, lead_id(Tenant::A, nth)))).await;
    each(&sides, (10_000..10_400).map(|nth| Change::Remove(Tenant::A, lead_id(Tenant::A, nth)))).await;
    each(&sides, (900..1_300).map(|nth| Change::Move(Tenant::B, lead_id(Tenant::B, nth)))).await;
    whole().await.unwrap();
}

fn create(tenant: Tenant, nth: i64, at: i64) -> Change {
    Change::Create(tenant, nth, at)
}

#[derive(Debug, Clone)]
enum Change {
    Create(Tenant, i64, i64),
    Remove(Tenant, String),
    Move(Tenant, String),
}

/// Applies all changes to each store, many of them concurrently, so that they share transactions.
async fn each(sides: &Sides<'_>, changes: impl Iterator<Item = Change> + Clone) {
    for side in &sides.all {
        let mut running = JoinSet::new();
        for change in changes.clone() {
            running.spawn(apply(side.ports.store.clone(), change));
            // Concurrency has no benefit for the in-memory store.
            if running.len() >= 300 || side.open_store.kind == StoreKind::Memory {
                running.join_next().await.unwrap().unwrap();
            }
        }
        while let Some(done) = running.join_next().await {
            done.unwrap();
        }
    }
}

async fn apply(store: Arc<dyn Store>, change: Change) {
    match change {
        Change::Create(tenant, nth, at) => {
            let mut new = NewLead::new(&ClientId::parse(client(nth)).unwrap(), format!("{nth} {}", tenant.canary()));
            new.stage_id = stage(nth).map(str::to_owned);
            let meta = NewLeadMeta::new(LeadId::parse(lead_id(tenant, nth)).unwrap(), moment(at));
            store.create(&tenant.business(), &Author::Host, meta, new.check().unwrap(), None).await.unwrap();
        }
        Change::Remove(tenant, id) => {
            assert!(store.delete(&tenant.business(), &Author::Host, &LeadId::parse(id).unwrap()).await.unwrap());
        }
        Change::Move(tenant, id) => {
            let mut patch = LeadPatch::new();
            patch.stage_id = leadapi_core::model::Change::Set("stage-3".to_owned());
            let edit = patch.check().unwrap();
            store.update(&tenant.business(), &Author::Host, &LeadId::parse(id).unwrap(), &edit).await.unwrap();
        }
    }
}

/// Compares the pages at every bucket boundary of any store, and at the end of the list.
async fn pages(sides: &Sides<'_>, tenant: Tenant) -> Check {
    for (client, stage) in [("", ""), ("client-1", ""), ("", "stage-1"), ("client-2", "stage-4")] {
        let mut edges = BTreeSet::from([0, 1_024, 100_000]);
        for side in &sides.all {
            edges.extend(ends(side, tenant, client, stage).await);
        }
        let named = |name: &str, id: &str| if id.is_empty() { String::new() } else { format!("&{name}={id}") };
        let filters = named("client_id", client) + &named("stage_id", stage);
        for offset in edges.iter().flat_map(|edge| [edge.saturating_sub(1), *edge, edge + 1]) {
            let path = format!("/leads?limit=2&offset={offset}{filters}");
            sides.send(tenant, &operation::get(tenant, &path)).await?;
        }
    }
    Ok(())
}

/// Returns the offset in a filtered list at which each bucket ends, newest bucket first.
async fn ends(side: &Side<'_>, tenant: Tenant, client: &str, stage: &str) -> Vec<u64> {
    let Some((_, raw)) = side.open_store.sql() else { return Vec::new() };
    let rows = raw
        .rows(&format!(
            "SELECT leads FROM tally WHERE business_id = '{}' AND client_id = '{client}' AND stage_id = '{stage}' \
            ORDER BY from_at DESC, from_id DESC",
            tenant.business(),
        ))
        .await;
    let mut end = 0;
    rows.iter()
        .map(|row| {
            end += row[0].parse::<u64>().unwrap();
            end
        })
        .collect()
}
