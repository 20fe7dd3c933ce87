//! Tests of databases, data sets and the journals of CSV imports.

use std::{fs, path::Path};

use leadapi_client::{
    bulk::RowResult,
    model::{IdempotencyKey, LeadQuery, NewLead, Timestamp},
};
use leadapi_sql::SqlStore;
use leadapi_tests::{postgres::Cluster, read_released};
use serde_json::Value;
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::{
    BUSINESS, CLIENT, OWNER,
    client_files::check_positions,
    compare::contains,
    json,
    process::{client, run},
    text, versions,
};

#[tokio::test]
async fn sqlite_files_keep_their_content() {
    for version in versions() {
        let folder = copy(&version, &["sqlite.db"]);
        let url = format!("sqlite:{}", folder.path().join("sqlite.db").display());
        check(folder.path(), &url, &json(&version, "sqlite.json")).await;
    }
}

#[tokio::test]
async fn postgres_dumps_keep_their_content() {
    let Some(cluster) = Cluster::shared() else { return };
    for version in versions() {
        let url = cluster.url(&cluster.create_database("upgrade").await);
        let (database, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        database.batch_execute(&text(&version, "postgres.sql")).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        check(folder.path(), &url, &json(&version, "postgres.json")).await;
    }
}

#[test]
fn data_sets_can_be_imported() {
    for version in versions() {
        let folder = copy(&version, &["dataset.json"]);
        run(folder.path(), &["data", "check", "dataset.json"]);
        run(folder.path(), &["data", "import", "dataset.json", "--store", "sqlite:new.db"]);
        let found = run(folder.path(), &["data", "export", "--store", "sqlite:new.db"]);
        let found: Value = serde_json::from_str(&found).unwrap();
        contains(&found, &json(&version, "dataset.json"), "dataset");
    }
}

#[test]
fn journals_of_csv_imports_prevent_a_second_import() {
    for version in versions() {
        let folder = copy(&version, &["leads.csv", "leads.csv.journal"]);
        // Without the idempotency keys, only the journal can prevent a second import.
        let mut world = json(&version, "dataset.json");
        world["businesses"][0]["idempotency"] = Value::Array(Vec::new());
        fs::write(folder.path().join("world.json"), world.to_string()).unwrap();
        run(folder.path(), &["data", "import", "world.json", "--store", "sqlite:leads.db"]);
        let target = ["--store", "sqlite:leads.db", "--business", BUSINESS, "--client", CLIENT];
        let report = run(folder.path(), &[&["data", "import-csv", "leads.csv", "--json"][..], &target].concat());
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["created"], &report["already_imported"]), (&0.into(), &3.into()), "{report}");
    }
}

/// Checks that a store has exactly the expected records, and that tokens, saved positions and idempotency keys still
/// work.
async fn check(folder: &Path, url: &str, expected: &Value) {
    let cli =
        |args: &[&str]| -> Value { serde_json::from_str(&run(folder, &[args, &["--store", url]].concat())).unwrap() };
    contains(&cli(&["data", "export"]), &expected["dataset"], "dataset");
    contains(&cli(&[&["audit", "list", "--json"][..], &OWNER].concat()), &expected["audit"], "audit");

    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    let now: Timestamp = expected["written_at"].as_str().unwrap().parse().unwrap();
    let revoked = client(&store, now, expected["revoked_secret"].as_str().unwrap());
    let error = revoked.leads().list(&LeadQuery::new()).await.unwrap_err();
    assert_eq!(error.message(), "Authorization: token revoked");

    let client = client(&store, now, expected["secret"].as_str().unwrap());
    check_positions(&client, expected).await;
    let replays = expected["replays"].as_array().unwrap();
    let rows = replays.iter().map(|replay| serde_json::from_value::<NewLead>(replay["body"].clone()).unwrap());
    let key = |index: u64, _: &NewLead| {
        IdempotencyKey::parse(replays[usize::try_from(index).unwrap()]["key"].as_str().unwrap()).unwrap()
    };
    let mut creates = client.leads().create_many(rows).keys(key).in_order();
    for replay in replays {
        let RowResult { outcome, replayed, .. } = creates.next().await.unwrap().unwrap();
        assert!(replayed, "{replay}");
        contains(&serde_json::to_value(outcome.unwrap()).unwrap(), &replay["lead"], "replay");
    }
    let before = client.leads().list(&LeadQuery::new()).await.unwrap().total;
    client.leads().create(&NewLead::new(&CLIENT.parse().unwrap(), "new")).await.unwrap();
    assert_eq!(client.leads().list(&LeadQuery::new()).await.unwrap().total, before + 1);
}

/// Copies fixtures into a new folder.
fn copy(version: &Path, names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), read_released(version, name)).unwrap();
    }
    folder
}
