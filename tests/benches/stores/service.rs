//! Measures the overhead of the service: each operation through the whole service, compared with the bare statements
//! that the store runs for it. The baseline runs these as prepared statements on one connection of the same driver. One
//! caller alternates between the service and the baseline, on identical databases.

use std::{collections::HashMap, hint::black_box, path::Path, time::Instant};

use bytes::Bytes;
use futures_util::future::join_all;
use http::Request;
use http_body_util::{BodyExt, Full};
use leadapi_core::{http::LeadService, model::Lead};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use rusqlite::{
    config::DbConfig,
    types::{Value, ValueRef},
};
use tokio_postgres::{Client, Statement, types::ToSql};

use crate::{
    creates::service,
    data::{client, dataset, lead_id, median, micros, new_lead, stage},
    postgres::connect,
    steps::{Database, Operation, Step, steps},
};

const LEADS: usize = 1_000;
const ROUNDS: usize = 301;

pub(crate) async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("sqlite:{}", path(name).display());
    let (service, token) = service(filled(&url("ours.db")).await).await;
    drop(filled(&url("bare.db")).await);
    compare(Database::Sqlite, &service, &token, Bare::Sqlite(open(&path("bare.db")))).await;
}

pub(crate) async fn postgres() {
    // `fsync` is on, as in production.
    let Some(cluster) = Cluster::start(&["fsync=on"]) else { return };
    let [ours, bare] =
        [cluster.url(&cluster.create_database("ours").await), cluster.url(&cluster.create_database("bare").await)];
    let (service, token) = service(filled(&ours).await).await;
    drop(filled(&bare).await);
    for url in [&ours, &bare] {
        connect(url).await.batch_execute("VACUUM ANALYZE").await.unwrap();
    }
    let bare = Bare::Postgres { client: connect(&bare).await, known: HashMap::new() };
    compare(Database::Postgres, &service, &token, bare).await;
}

async fn filled(url: &str) -> SqlStore {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.import(dataset(LEADS), |_| {}).await.unwrap();
    store
}

async fn compare(database: Database, service: &LeadService, token: &str, mut bare: Bare) {
    println!("\n{database:?}, one caller, {LEADS} leads: medians of {ROUNDS} alternating calls");
    println!("  {:<22}{:>12}{:>12}{:>12}{:>8}", "", "round trips", "statements", "the service", "ratio");
    let mut created = Vec::new();
    for (name, operation) in Operation::ALL {
        let (mut bares, mut all, mut trips) = (Vec::new(), Vec::new(), 0);
        for nth in 0..ROUNDS {
            let steps = steps(database, operation, nth);
            trips = steps.len();
            bare.prepare(&steps).await;
            let start = Instant::now();
            bare.run(&steps).await;
            bares.push(start.elapsed().as_secs_f64() * 1e6);

            let request = request(operation, nth, token, &created);
            let start = Instant::now();
            let (response, _) = service.answer(request).await;
            all.push(start.elapsed().as_secs_f64() * 1e6);
            assert!(response.status().is_success(), "{name}: {}", response.status());
            if operation == Operation::Create {
                let body = response.into_body().collect().await.unwrap().to_bytes();
                created.push(serde_json::from_slice::<Lead>(&body).unwrap().id.to_string());
            }
        }
        let trips = if database == Database::Sqlite { "-".to_owned() } else { trips.to_string() };
        let (bare, all) = (median(bares), median(all));
        println!("  {name:<22}{trips:>12}{:>12}{:>12}{:>8.2}", micros(bare), micros(all), all / bare);
    }
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

/// The baseline: a connection, and a loop that reads every column of the result.
enum Bare {
    Sqlite(rusqlite::Connection),
    Postgres { client: Client, known: HashMap<&'static str, Statement> },
}

/// Opens the baseline's database and writes to it once, as the store does, because SQLite queries the size of the
/// database file on each read while the WAL is empty.
fn open(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
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

impl Bare {
    async fn prepare(&mut self, steps: &[Vec<Step>]) {
        let Self::Postgres { client, known } = self else { return };
        for step in steps.iter().flatten() {
            if let Step::Query(sql, _) = step
                && !known.contains_key(sql)
            {
                known.insert(sql, client.prepare(sql).await.unwrap());
            }
        }
    }

    /// Runs the steps. On PostgreSQL, pipelines the steps of one round trip.
    async fn run(&self, steps: &[Vec<Step>]) {
        match self {
            Self::Sqlite(connection) => steps.iter().flatten().for_each(|step| on_sqlite(connection, step)),
            Self::Postgres { client, known } => {
                for at_once in steps {
                    join_all(at_once.iter().map(|step| on_postgres(client, known, step))).await;
                }
            }
        }
    }
}

fn on_sqlite(connection: &rusqlite::Connection, step: &Step) {
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

async fn on_postgres(client: &Client, known: &HashMap<&'static str, Statement>, step: &Step) {
    let Step::Query(sql, params) = step else {
        return client.batch_execute(step.parts().0).await.unwrap();
    };
    let params: Vec<&(dyn ToSql + Sync)> = params
        .iter()
        .map(|param| -> &(dyn ToSql + Sync) {
            match param {
                Value::Text(text) => text,
                Value::Integer(number) => number,
                Value::Real(number) => number,
                Value::Null | Value::Blob(_) => &None::<String>,
            }
        })
        .collect();
    for row in client.query(&known[sql], &params).await.unwrap() {
        for (at, column) in row.columns().iter().enumerate() {
            match column.type_().name() {
                "int8" => drop(black_box(row.get::<_, Option<i64>>(at))),
                "int4" => drop(black_box(row.get::<_, Option<i32>>(at))),
                "float8" => drop(black_box(row.get::<_, Option<f64>>(at))),
                _ => drop(black_box(row.get::<_, Option<String>>(at))),
            }
        }
    }
}
