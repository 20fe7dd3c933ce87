//! Measures the overhead of the service: each operation through the whole service on SQLite, compared with the bare
//! statements that the store runs for it. The baseline runs these as prepared statements on one connection of the same
//! driver. One caller alternates between the service and the baseline, on identical databases.

use std::{hint::black_box, path::Path, time::Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use leadapi_core::model::Lead;
use leadapi_sql::SqlStore;
use rusqlite::{Connection, config::DbConfig, types::ValueRef};

use crate::{
    creates::service,
    data::{client, dataset, lead_id, median, micros, new_lead, stage},
    steps::{Operation, Step, steps},
};

const LEADS: usize = 1_000;
const ROUNDS: usize = 301;

pub(crate) async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("sqlite:{}", path(name).display());
    let (service, token) = service(filled(&url("ours.db")).await).await;
    drop(filled(&url("bare.db")).await);
    let bare = open(&path("bare.db"));
    println!("\nSQLite, one caller, {LEADS} leads: medians of {ROUNDS} alternating calls");
    println!("  {:<22}{:>12}{:>12}{:>8}", "", "statements", "the service", "ratio");
    let mut created = Vec::new();
    for (name, operation) in Operation::ALL {
        let (mut bares, mut all) = (Vec::new(), Vec::new());
        for nth in 0..ROUNDS {
            let steps = steps(operation, nth);
            let start = Instant::now();
            for step in &steps {
                run(&bare, step);
            }
            bares.push(start.elapsed().as_secs_f64() * 1e6);

            let request = request(operation, nth, &token, &created);
            let start = Instant::now();
            let (response, _) = service.answer(request).await;
            all.push(start.elapsed().as_secs_f64() * 1e6);
            assert!(response.status().is_success(), "{name}: {}", response.status());
            if operation == Operation::Create {
                let body = response.into_body().collect().await.unwrap().to_bytes();
                created.push(serde_json::from_slice::<Lead>(&body).unwrap().id.to_string());
            }
        }
        let (bare, all) = (median(bares), median(all));
        println!("  {name:<22}{:>12}{:>12}{:>8.2}", micros(bare), micros(all), all / bare);
    }
}

async fn filled(url: &str) -> SqlStore {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.import(dataset(LEADS), |_| {}).await.unwrap();
    store
}

fn request(operation: Operation, nth: usize, token: &str, created: &[String]) -> Request<Full<Bytes>> {
    let one = format!("/leads/{}", lead_id(nth));
    let (method, path, body) = match operation {
        Operation::Get => ("GET", one, String::new()),
        Operation::Page { of_client, in_stage } => {
            let filters = [
                of_client.then(|| format!("client_id={}", client(1))),
                in_stage.then(|| format!("stage_id={}", stage(2))),
            ];
            ("GET", format!("/leads?{}", filters.into_iter().flatten().collect::<Vec<_>>().join("&")), String::new())
        }
        Operation::Create => ("POST", "/leads".to_owned(), serde_json::to_string(&new_lead(nth)).unwrap()),
        Operation::Patch => ("PATCH", one, format!(r#"{{"value":{nth}.5}}"#)),
        Operation::Delete => ("DELETE", format!("/leads/{}", created[nth]), String::new()),
    };
    let request = Request::builder().method(method).uri(path.trim_end_matches('?')).header("authorization", token);
    request.body(Full::from(body)).unwrap()
}

/// Opens the baseline's database and writes to it once, as the store does, because SQLite queries the size of the
/// database file on each read while the WAL is empty.
fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
             PRAGMA wal_autocheckpoint = 4000; UPDATE business SET name = name",
        )
        .unwrap();
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    connection
}

/// Runs a step, and reads every column of its rows.
fn run(connection: &Connection, step: &Step) {
    let (sql, params) = step.parts();
    let mut statement = connection.prepare_cached(sql).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(params)).unwrap();
    while let Some(row) = rows.next().unwrap() {
        for column in 0..columns {
            match row.get_ref(column).unwrap() {
                ValueRef::Text(text) => drop(black_box(String::from_utf8(text.to_vec()).unwrap())),
                ValueRef::Blob(bytes) => drop(black_box(bytes.to_vec())),
                other => drop(black_box(other)),
            }
        }
    }
}
