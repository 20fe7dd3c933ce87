//! Writes the fixtures of the current version: `LEADAPI_FIXTURES=write cargo test -p leadapi-tests --test upgrade`.
//!
//! Fixtures of a released version must never change, so the test refuses to replace them.

use std::{env, fs, path::Path, process::Command};

use leadapi_client::{
    id::LeadId,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Timestamp},
    pager::Checkpoint,
};
use leadapi_core::dataset::SAMPLE;
use leadapi_sql::SqlStore;
use leadapi_tests::{postgres::Cluster, released_folder, write_released};
use serde_json::{Value, json};

use crate::{
    BUSINESS, CLIENT, OWNER, client_files,
    process::{client, run},
};

const ROWS: &str = "name,email,notes\nAnn,ann@example.org,\"two\nlines\"\nBo,,\nAnn,ann@example.org,\"two\nlines\"\n";

#[tokio::test]
async fn write_the_fixtures_of_this_version() {
    if env::var_os("LEADAPI_FIXTURES").is_none_or(|value| value != "write") {
        return;
    }
    let target = released_folder(env!("CARGO_PKG_VERSION"));
    fs::create_dir(&target).expect("the fixtures of a released version must not change");
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();

    let sqlite = fill(folder, "sqlite:leads.db", &format!("sqlite:{}", folder.join("leads.db").display())).await;
    let write = |name, content: &[u8]| write_released(&target, name, content).unwrap();
    write("sqlite.json", &pretty(&sqlite));
    run(folder, &["data", "backup", "sqlite.db", "--store", "sqlite:leads.db"]);
    run(folder, &["data", "export", "dataset.json", "--store", "sqlite:leads.db"]);
    let store =
        SqlStore::open(&format!("sqlite:{}", folder.join("leads.db").display()).parse().unwrap()).await.unwrap();
    client_files::record(&store, &sqlite).await.save(folder.join("tape.har")).unwrap();
    for name in ["sqlite.db", "dataset.json", "leads.csv", "leads.csv.journal", "tape.har"] {
        write(name, &fs::read(folder.join(name)).unwrap());
    }

    let cluster = Cluster::shared().expect("PostgreSQL writes a part of the fixtures");
    let url = cluster.url(&cluster.create_database("fixtures").await);
    let postgres = fill(folder, &url, &url).await;
    write("postgres.json", &pretty(&postgres));
    let dump = Command::new("pg_dump").args(["--inserts", "--no-owner", "--no-privileges", &url]).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    let dump = String::from_utf8(dump.stdout).unwrap();
    // Removes the commands of psql, and a setting that only PostgreSQL 17 and later versions have.
    let is_portable = |line: &&str| !line.starts_with('\\') && !line.starts_with("SET transaction_timeout");
    let dump: String = dump.split_inclusive('\n').filter(is_portable).collect();
    write("postgres.sql", dump.as_bytes());
}

/// Fills a store through the command line and the API. Returns the records and responses that later versions must
/// reproduce.
async fn fill(folder: &Path, store: &str, url: &str) -> Value {
    fs::write(folder.join("world.json"), world().to_string()).unwrap();
    let cli = |args: &[&str]| run(folder, &[args, &["--store", store]].concat());
    let read = |args: &[&str]| -> Value { serde_json::from_str(&cli(args)).unwrap() };
    cli(&["data", "import", "world.json"]);
    let token =
        |name| read(&[&["token", "create", "--name", name, "--scope", "read,write", "--json"][..], &OWNER].concat());
    let (valid, revoked) = (token("valid"), token("revoked"));
    cli(&[&["token", "revoke", revoked["id"].as_str().unwrap()][..], &OWNER].concat());
    fs::write(folder.join("leads.csv"), ROWS).unwrap();
    fs::remove_file(folder.join("leads.csv.journal")).ok();
    cli(&["data", "import-csv", "leads.csv", "--business", BUSINESS, "--client", CLIENT]);

    let secret = valid["token"].as_str().unwrap();
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    let now = Timestamp::now();
    let client = client(&store, now, secret);
    let mut replays = Vec::new();
    let mut created = Vec::new();
    for name in ["unchanged", "changed", "deleted"] {
        let new = NewLead::new(&CLIENT.parse().unwrap(), name).email("ann@example.org").value(450.5).notes("a\nb");
        let key = IdempotencyKey::parse(&format!("key-{name}")).unwrap();
        let lead = client.leads().create(&new).idempotency_key(key.clone()).await.unwrap();
        replays.push(json!({"key": key.as_str(), "body": new, "lead": lead}));
        created.push(lead.id);
    }
    client.leads().update(&created[1], &LeadPatch::new().name("other").clear_notes()).await.unwrap();
    client.leads().delete(&created[2]).await.unwrap();

    let mut leads = client.leads().list_all(LeadQuery::new()).page_size(4).stream();
    for _ in 0..6 {
        leads.try_next().await.unwrap().unwrap();
    }
    let position = leads.position();
    let mut rest: Vec<LeadId> = Vec::new();
    while let Some(lead) = leads.try_next().await.unwrap() {
        rest.push(lead.id);
    }
    let polled = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).poll().await.unwrap();
    json!({
        "written_at": now, "secret": secret, "revoked_secret": revoked["token"], "replays": replays,
        "audit": read(&[&["audit", "list", "--json"][..], &OWNER].concat()),
        "position": position, "after_position": rest, "checkpoint": polled.checkpoint,
        "dataset": read(&["data", "export"]),
    })
}

/// Returns the sample with fewer leads: two businesses, and a form with a live snapshot.
fn world() -> Value {
    let mut world: Value = serde_json::from_str(SAMPLE).unwrap();
    for business in world["businesses"].as_array_mut().unwrap() {
        business["leads"].as_array_mut().unwrap().truncate(8);
    }
    assert!(world["businesses"][0]["forms"][0]["form"]["live_snapshot"].is_object());
    world
}

fn pretty(value: &Value) -> Vec<u8> {
    (serde_json::to_string_pretty(value).unwrap() + "\n").into()
}
