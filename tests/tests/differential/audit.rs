//! Invariants that hold in every store after any sequence of operations.

use std::collections::{BTreeMap, BTreeSet};

use leadapi_core::{
    auth::Author,
    dataset::{BusinessSeed, TokenSeed},
    id::LeadId,
    model::{Lead, LeadQuery, Window},
    port::{Listed, Store},
};
use leadapi_sql::SqlStore;
use leadapi_tests::{OpenStore, Ports, Raw, Seed, StoreKind};

use super::{
    fixture::{self, Tenant},
    operation,
    sides::{Check, Sides, silent},
};

/// The maximum number of leads in a bucket after a transaction. A bucket is a range of leads that share one count.
const MAX_BUCKET: i64 = 2_048;

/// Checks that all stores return the same lists and leads, and then runs [`hidden_state`].
pub(crate) async fn all(sides: &Sides<'_>, seed: &Seed) -> Check {
    for tenant in Tenant::BOTH {
        lists(sides, tenant).await?;
        leads(sides, tenant).await?;
    }
    hidden_state(sides, seed).await
}

/// Checks the data that responses do not contain: the lead counts, the stored rows of each business, and the contents
/// of an export.
pub(crate) async fn hidden_state(sides: &Sides<'_>, seed: &Seed) -> Check {
    let expected = businesses(&sides.all[0].ports, seed).await;
    for side in &sides.all {
        let Some((store, raw)) = side.open_store.sql() else { continue };
        lead_counts(raw).await.map_err(|wrong| format!("{:?}: {wrong}", side.open_store.kind))?;
        own_rows(raw).await.map_err(|wrong| format!("{:?}: {wrong}", side.open_store.kind))?;
        let mut exported = export(store).await;
        let keys = "SELECT business_id, key, lead_id, lead FROM idempotency ORDER BY business_id, key";
        let stored = raw.rows(keys).await.into_iter().map(|row| resolved(row, &exported)).collect::<Vec<_>>();
        let written = idempotency(&mut exported);
        if written != stored {
            return Err(format!("{:?} exports the keys\n{written:?}\ninstead of\n{stored:?}", side.open_store.kind));
        }
        audit_log(&side.ports, &mut exported).await.map_err(|wrong| format!("{:?}: {wrong}", side.open_store.kind))?;
        if exported != expected {
            return Err(format!("{:?} exports\n{exported:?}\ninstead of\n{expected:?}", side.open_store.kind));
        }
    }
    Ok(())
}

/// Returns the row's business, key and lead. If the row contains only the id of the lead, finds the lead in the
/// exported business.
fn resolved(row: Vec<String>, exported: &[BusinessSeed]) -> Vec<String> {
    let [business, key, lead_id, lead] = row.try_into().unwrap();
    if !lead.is_empty() {
        return vec![business, key, lead];
    }
    let leads = exported.iter().filter(|seed| seed.id.as_str() == business).flat_map(|seed| &seed.leads);
    let lead = leads.into_iter().find(|lead| lead.id.as_str() == lead_id).unwrap();
    vec![business, key, serde_json::to_string(lead).unwrap()]
}

/// Removes the idempotency keys from an export, and returns each with its business and its lead.
fn idempotency(exported: &mut [BusinessSeed]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for business in exported {
        for seed in std::mem::take(&mut business.idempotency) {
            let key = seed.idempotency.key.as_str().to_owned();
            rows.push(vec![business.id.to_string(), key, serde_json::to_string(&seed.lead).unwrap()]);
        }
    }
    rows
}

/// Removes the audit log from an export, and checks that it equals the audit log that the store lists. The ids of
/// entries are random, so the audit logs of different stores cannot be compared.
async fn audit_log(ports: &Ports, exported: &mut [BusinessSeed]) -> Check {
    for business in exported {
        let listed = ports.tokens.audit(&business.id, Window::new(200, 0).unwrap()).await;
        let mut listed = listed.map_err(|error| error.to_string())?.data;
        listed.reverse();
        let exported = std::mem::take(&mut business.audit);
        if exported != listed {
            return Err(format!("the audit log is exported as\n{exported:?}\ninstead of\n{listed:?}"));
        }
    }
    Ok(())
}

/// Returns the list filters for every combination of a client account and a stage of the business, including
/// combinations without one or both.
pub(crate) fn filters(tenant: Tenant) -> Vec<String> {
    let (own_client, own_stage) = (fixture::own(tenant, "client"), fixture::own(tenant, "stage"));
    let clients = fixture::CLIENTS.into_iter().chain([own_client.as_str()]);
    let clients: Vec<_> = clients.map(|id| format!("&client_id={id}")).chain([String::new()]).collect();
    let stages = fixture::STAGES.into_iter().chain([own_stage.as_str()]);
    let stages: Vec<_> = stages.map(|id| format!("&stage_id={id}")).chain([String::new()]).collect();
    clients.iter().flat_map(|client| stages.iter().map(move |stage| format!("{client}{stage}"))).collect()
}

async fn lists(sides: &Sides<'_>, tenant: Tenant) -> Check {
    for filters in filters(tenant) {
        for (limit, deep) in [(200, true), (4, false)] {
            let mut offset = 0;
            loop {
                let path = format!("/leads?limit={limit}&offset={offset}{filters}");
                let page = sides.send(tenant, &operation::get(tenant, &path)).await?;
                offset += limit;
                // For a stage that does not exist in this business, all stores return the same error.
                if page.status != 200 || page.json()["total"].as_u64().unwrap() <= offset {
                    break;
                }
            }
            if deep {
                let path = format!("/leads?limit={limit}&offset=2000{filters}");
                sides.send(tenant, &operation::get(tenant, &path)).await?;
            }
        }
    }
    for list in ["pipelines", "clients"] {
        for window in ["limit=200", "limit=1", "limit=1&offset=1", "limit=1&offset=2", "limit=2&offset=1", "offset=9"] {
            sides.send(tenant, &operation::get(tenant, &format!("/{list}?{window}"))).await?;
        }
    }
    Ok(())
}

/// Compares up to 200 leads individually, because lists do not contain all fields.
async fn leads(sides: &Sides<'_>, tenant: Tenant) -> Check {
    let page = sides.send(tenant, &operation::get(tenant, "/leads?limit=200")).await?;
    for id in page.ids() {
        sides.send(tenant, &operation::get(tenant, &format!("/leads/{id}"))).await?;
    }
    Ok(())
}

type Position = (i64, String);
type Filter = (String, String);

/// Checks the lead counts (table `tally`). Each row must contain the number of leads in its bucket that match its
/// filter, and no row may be missing. Only a row without a filter may contain zero, because such rows define the
/// buckets.
pub(crate) async fn lead_counts(raw: &Raw) -> Check {
    let mut found: BTreeMap<String, BTreeMap<(Position, Filter), i64>> = BTreeMap::new();
    for row in raw.rows("SELECT business_id, from_at, from_id, client_id, stage_id, leads FROM tally").await {
        let [business, at, id, client, stage, leads] = row.try_into().unwrap();
        let key = ((at.parse().unwrap(), id), (client, stage));
        found.entry(business).or_default().insert(key, leads.parse().unwrap());
    }
    let mut expected: BTreeMap<String, BTreeMap<(Position, Filter), i64>> = BTreeMap::new();
    let mut starts: BTreeMap<String, BTreeSet<Position>> = BTreeMap::new();
    for (business, rows) in &found {
        let all = rows.keys().filter(|(_, (client, stage))| client.is_empty() && stage.is_empty());
        for (position, _) in all {
            starts.entry(business.clone()).or_default().insert(position.clone());
            expected.entry(business.clone()).or_default().insert((position.clone(), Filter::default()), 0);
        }
    }
    let mut newest: BTreeMap<String, i64> = BTreeMap::new();
    for row in raw.rows("SELECT business_id, created_at, id, client_id, stage_id FROM lead").await {
        let [business, at, id, client, stage] = row.try_into().unwrap();
        let position: Position = (at.parse().unwrap(), id);
        let newest = newest.entry(business.clone()).or_insert(i64::MIN);
        *newest = position.0.max(*newest);
        let bucket = starts.get(&business).and_then(|starts| starts.range(..=position).next_back());
        let bucket = bucket.ok_or_else(|| format!("{business} has leads before its first bucket"))?;
        let mut filters = vec![Filter::default(), (client.clone(), String::new())];
        if !stage.is_empty() {
            filters.extend([(String::new(), stage.clone()), (client, stage)]);
        }
        for filter in filters {
            *expected.entry(business.clone()).or_default().entry((bucket.clone(), filter)).or_default() += 1;
        }
    }
    let wrong = |what: &str| format!("{what}:\n{found:?}\ninstead of\n{expected:?}");
    if found != expected {
        return Err(wrong("the counts are"));
    }
    // The newest bucket of a business must begin at most one millisecond after its newest lead.
    let late = starts.iter().find(|(business, starts)| {
        let begins = starts.last().map(|(at, _)| *at);
        begins > newest.get(*business).map(|at| at + 1).max(Some(i64::MIN))
    });
    if let Some((business, _)) = late {
        return Err(format!("the newest bucket of {business} begins after its newest lead"));
    }
    let longest = found.values().flat_map(BTreeMap::values).max();
    if longest.is_some_and(|leads| *leads > MAX_BUCKET) { Err(wrong("a bucket is too large")) } else { Ok(()) }
}

/// Checks that no row of one business contains data of the other.
async fn own_rows(raw: &Raw) -> Check {
    for table in ["client", "pipeline", "stage", "lead", "tally", "idempotency", "form", "token"] {
        for tenant in Tenant::BOTH {
            let business = tenant.business();
            let rows = raw.rows(&format!("SELECT * FROM {table} WHERE business_id = '{business}'")).await;
            for row in rows {
                silent(tenant, &row.join(" ")).map_err(|wrong| format!("{table}: {wrong}"))?;
            }
        }
    }
    Ok(())
}

/// Checks that a write by one business leaves the other's commit record (table `operation`) unchanged.
pub(crate) async fn commit_records(open_store: &OpenStore) -> Check {
    let Some((store, raw)) = open_store.sql().filter(|_| open_store.kind == StoreKind::Postgres) else { return Ok(()) };
    let nobody = LeadId::parse("nobody").unwrap();
    for tenant in Tenant::BOTH {
        let others = format!("SELECT * FROM operation WHERE business_id <> '{}'", tenant.business());
        let before = raw.rows(&others).await;
        store.delete(&tenant.business(), &Author::Host, &nobody).await.map_err(|error| error.to_string())?;
        let after = raw.rows(&others).await;
        if before != after {
            return Err(format!("a write by {tenant:?} changed the other's operations from {before:?} to {after:?}"));
        }
    }
    Ok(())
}

async fn export(store: &SqlStore) -> Vec<BusinessSeed> {
    let (sender, receiver) = std::sync::mpsc::channel();
    store.export(move |business| Ok(sender.send(business)?)).await.unwrap();
    receiver.iter().collect()
}

/// Returns the businesses as stored in the in-memory store. Data that requests cannot change comes from the seed.
pub(crate) async fn businesses(ports: &Ports, seed: &Seed) -> Vec<BusinessSeed> {
    let mut businesses = seed.dataset().businesses;
    for business in &mut businesses {
        let all = Window::new(200, 0).unwrap();
        business.clients = ports.store.clients(&business.id, all).await.unwrap().data;
        business.pipelines = ports.store.pipelines(&business.id, all).await.unwrap().data;
        business.leads = every_lead(ports, business).await;
        let tokens = ports.tokens.list(&business.id).await.unwrap();
        business.tokens = tokens.into_iter().map(TokenSeed::from).collect();
    }
    businesses
}

/// Returns all leads of a business, oldest first.
async fn every_lead(ports: &Ports, business: &BusinessSeed) -> Vec<Lead> {
    let mut leads: Vec<Lead> = Vec::new();
    loop {
        let window = Window::new(200, leads.len() as u64).unwrap();
        let listed = ports.store.list(&business.id, &LeadQuery::new().window(window)).await.unwrap();
        let Listed::Page(page) = listed else { panic!("no page") };
        if page.data.is_empty() {
            leads.reverse();
            return leads;
        }
        leads.extend(page.data.iter().map(|lead| (**lead).clone()));
    }
}
