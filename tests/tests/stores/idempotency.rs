//! Tests of idempotency keys on SQLite and PostgreSQL. A replay returns the first response, even if the lead has
//! changed since.

use std::{sync::Arc, time::Duration};

use leadapi_core::{
    admin::{Admin, AdminExt},
    auth::Author,
    dataset::{BusinessSeed, Dataset},
    id::{ClientId, StageId},
    model::{IdempotencyKey, Lead, LeadPatch, NewLead, Timestamp},
    port::{Created, Idempotency, Store, Updated},
    validate::{LeadDraft, NewLeadMeta},
};
use leadapi_sql::SqlStore;
use leadapi_tests::{
    maintenance::{self, Engine, Maintenance},
    postgres::Cluster,
};
use tempfile::TempDir;

use crate::fixture::business;

const DATA: &str = r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
    "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}],
    "pipelines": [{"id": "p1", "name": "P", "created_at": "2026-01-01T00:00:00Z", "stages": [
        {"id": "s1", "name": "One", "position": 1}, {"id": "s2", "name": "Two", "position": 2}]}]}]}"#;

/// The last millisecond before new keys go to another partition in PostgreSQL.
const BEFORE_BOUNDARY: &str = "2026-05-04T11:59:59.999Z";
const NOON: &str = "2026-05-04T12:00:00Z";

/// Returns the URL of a new SQLite database, and of a new PostgreSQL database if PostgreSQL is installed. The directory
/// contains the SQLite file.
pub(crate) async fn urls(name: &str) -> (TempDir, Vec<String>) {
    let folder = TempDir::new().unwrap();
    let mut urls = Vec::new();
    if Maintenance::concerns(Engine::Sqlite) {
        urls.push(maintenance::sqlite_url(folder.path()).await);
    }
    if Maintenance::concerns(Engine::Postgres)
        && let Some(cluster) = Cluster::shared()
    {
        urls.push(cluster.url(&cluster.create_database(name).await));
    }
    (folder, urls)
}

pub(crate) async fn open(url: &str) -> SqlStore {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    if store.businesses().await.unwrap().iter().all(|known| known.id != business()) {
        store.import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    }
    store
}

fn after(at: &str, duration: Duration) -> String {
    at.parse::<Timestamp>().unwrap().checked_add(duration).unwrap().to_string()
}

fn draft() -> LeadDraft {
    let new = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann").stage(&StageId::parse("s1").unwrap()).value(7);
    new.check().unwrap()
}

pub(crate) fn fingerprint() -> [u8; 32] {
    draft().fingerprint()
}

/// Creates the lead of [`draft`] under a key. If this is a replay, the store must ignore `id`.
pub(crate) async fn create(store: &SqlStore, key: &str, id: &str, at: &str) -> Created {
    let draft = draft();
    let idempotency = Idempotency::new(IdempotencyKey::parse(key).unwrap(), draft.fingerprint());
    let meta = NewLeadMeta::new(id.parse().unwrap(), at.parse().unwrap());
    store.create(&business(), &Author::Host, meta, draft, Some(&idempotency)).await.unwrap()
}

/// Creates a lead, and returns the expected outcome of a replay.
async fn first(store: &SqlStore, key: &str, id: &str, at: &str) -> Created {
    let Created::New(lead) = create(store, key, id, at).await else { panic!("{key} is not new") };
    Created::Replayed(lead)
}

async fn rename(store: &SqlStore, id: &str, name: &str) {
    let edit = LeadPatch::new().name(name).clear_value().check().unwrap();
    assert!(matches!(
        store.update(&business(), &Author::Host, &id.parse().unwrap(), &edit).await.unwrap(),
        Updated::Changed(_)
    ));
}

async fn delete(store: &SqlStore, id: &str) {
    assert!(store.delete(&business(), &Author::Host, &id.parse().unwrap()).await.unwrap());
}

#[tokio::test]
async fn a_replay_returns_the_first_response_after_changes_and_a_restart() {
    let (_folder, urls) = urls("replays").await;
    for url in urls {
        let mut store = open(&url).await;
        let mut expected = Vec::new();
        // All leads have the same creation time, so only the id of a lead identifies its idempotency record.
        for id in ["same", "updated", "deleted", "both", "moved"] {
            expected.push((id, first(&store, id, id, NOON).await));
        }
        rename(&store, "updated", "Bo").await;
        rename(&store, "updated", "Cy").await;
        delete(&store, "deleted").await;
        rename(&store, "both", "Bo").await;
        delete(&store, "both").await;
        for _ in 0..2 {
            for (id, replayed) in &expected {
                assert_eq!(create(&store, id, "other", NOON).await, *replayed, "{id}: {url}");
            }
            drop(store);
            store = open(&url).await;
        }
        assert_eq!(crate::fixture::count(&store, "Cy").await, 1);
        assert_eq!(crate::fixture::all(&store).await.len(), 3);
    }
}

/// After a delete, a lead id can be reused. Each key still replays its own lead.
#[tokio::test]
async fn keys_whose_leads_had_the_same_id_replay_their_own_lead() {
    let (_folder, urls) = urls("reused").await;
    for url in urls {
        let store = open(&url).await;
        let one = first(&store, "one", "lead", NOON).await;
        rename(&store, "lead", "Bo").await;
        delete(&store, "lead").await;
        let two = first(&store, "two", "lead", BEFORE_BOUNDARY).await;
        assert_eq!(create(&store, "one", "x", NOON).await, one, "{url}");
        assert_eq!(create(&store, "two", "x", NOON).await, two, "{url}");
        delete(&store, "lead").await;
        assert_eq!(create(&store, "one", "x", NOON).await, one, "{url}");
        assert_eq!(create(&store, "two", "x", NOON).await, two, "{url}");
    }
}

#[tokio::test]
async fn a_replay_returns_the_first_response_after_administrative_changes() {
    let (_folder, urls) = urls("administered").await;
    for url in urls {
        let store = open(&url).await;
        let mut expected = Vec::new();
        // The store must preserve more leads than it reads with one query.
        for nth in 0..1_003 {
            let id = format!("lead-{nth}");
            let at = after(NOON, Duration::from_millis(nth / 5));
            expected.push((id.clone(), first(&store, &id, &id, &at).await));
        }
        let check = async |what: &str| {
            for (id, replayed) in expected.iter().step_by(17).chain(expected.last()) {
                assert_eq!(create(&store, id, "other", NOON).await, *replayed, "{id} after {what}: {url}");
            }
        };
        let (one, two) = (StageId::parse("s1").unwrap(), StageId::parse("s2").unwrap());
        assert_eq!(store.admin(&business()).stages().delete(&one, Some(&two)).await.unwrap(), 1_003);
        check("moving to another stage").await;
        let client = ClientId::parse("c1").unwrap();
        assert_eq!(store.admin(&business()).clients().delete(&client, true).await.unwrap(), 1_003);
        check("deleting the client account").await;
    }
}

#[tokio::test]
async fn keys_expire_after_exactly_24_hours_in_any_partition() {
    let (_folder, urls) = urls("expiry").await;
    for url in urls {
        let store = open(&url).await;
        for (nth, at) in [BEFORE_BOUNDARY, NOON].into_iter().enumerate() {
            let (key, day) = (format!("key-{nth}"), Duration::from_hours(24));
            let replayed = first(&store, &key, &format!("{key}-first"), at).await;
            rename(&store, &format!("{key}-first"), "Bo").await;
            let last = after(at, day.checked_sub(Duration::from_millis(1)).unwrap());
            assert_eq!(create(&store, &key, "other", &last).await, replayed, "{url}");
            let expired = after(at, day);
            let renewed = first(&store, &key, &format!("{key}-second"), &expired).await;
            assert_eq!(create(&store, &key, "other", &expired).await, renewed, "{url}");
        }
        // A renewed key is stored once, so an export can be imported.
        assert_eq!(export(&store).await[0].idempotency.len(), 2);
    }
}

#[tokio::test]
async fn an_import_of_an_export_keeps_the_replays() {
    let (_folder, from) = urls("exported").await;
    let (_other_folder, to) = urls("imported").await;
    for (from, to) in from.into_iter().zip(to) {
        let store = open(&from).await;
        let mut expected = Vec::new();
        for id in ["same", "updated", "deleted"] {
            expected.push((id, first(&store, id, id, NOON).await));
        }
        rename(&store, "updated", "Bo").await;
        delete(&store, "deleted").await;
        let exported = export(&store).await;
        let copy = SqlStore::open(&to.parse().unwrap()).await.unwrap();
        copy.import(Dataset::new(exported.clone()), |_| {}).await.unwrap();
        assert_eq!(export(&copy).await, exported, "{to}");
        rename(&copy, "same", "Cy").await;
        for (id, replayed) in expected {
            assert_eq!(create(&copy, id, "other", NOON).await, replayed, "{id}: {to}");
        }
    }
}

/// Returns the export of the business.
pub(crate) async fn export(store: &SqlStore) -> Vec<BusinessSeed> {
    let (sender, exported) = std::sync::mpsc::channel();
    store.export(move |business| Ok(sender.send(business)?)).await.unwrap();
    exported.iter().filter(|seed| seed.id == business()).collect()
}

/// Returns the lead of a replay. Panics for any other outcome.
pub(crate) fn replayed(created: Created) -> Arc<Lead> {
    match created {
        Created::Replayed(lead) => lead,
        other => panic!("no replay: {other:?}"),
    }
}
