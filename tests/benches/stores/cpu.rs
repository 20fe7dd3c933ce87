//! Measures the CPU time of PostgreSQL for each operation of the store. Unlike the time of a call, it hardly depends on
//! what else the machine does.

use std::{collections::HashMap, fs};

use futures_util::{StreamExt, stream};
use leadapi_core::{
    auth::Author,
    model::{LeadPatch, LeadQuery, Window},
    port::Store,
};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use tokio_postgres::Client;

use crate::{
    data::{business, client, dataset, lead_id, stage},
    keys::create,
    postgres::connect,
    reads::{Read, read},
};

const LEADS: usize = 100_000;
const CALLS: usize = 3_000;
const CALLERS: usize = 4;

/// An operation of the store, with the number of the call.
enum Operation {
    Read(Read),
    Pipelines,
    Clients,
    Create,
    CreateWithKey,
    Update,
    Delete,
}

pub(crate) async fn postgres() {
    // Only the CPU time counts, and it hardly depends on the disk.
    let Some(cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("bench").await);
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.import(dataset(LEADS), |_| {}).await.unwrap();
    let observer = connect(&url).await;
    observer.batch_execute("VACUUM ANALYZE").await.unwrap();
    println!("\nCPU time of PostgreSQL per call, {LEADS} leads in one business, {CALLERS} callers, {CALLS} calls");
    for (name, operation) in operations() {
        // Connections are opened and statements are planned before the measurement.
        run(&store, &operation, LEADS..LEADS + 100).await;
        let before = cpu_times(&observer).await;
        run(&store, &operation, LEADS + 100..LEADS + 100 + CALLS).await;
        let after = cpu_times(&observer).await;
        let used: u64 = after.iter().map(|(pid, time)| time - before.get(pid).unwrap_or(&0)).sum();
        println!("  {name:<28}{:>8.0} us", used as f64 / 1e3 / CALLS as f64);
    }
}

fn operations() -> [(&'static str, Operation); 11] {
    let deep = Window::new(50, LEADS as u64 * 9 / 10).unwrap();
    let page = |query| Operation::Read(Read::Page(query));
    [
        ("get one lead", Operation::Read(Read::One)),
        ("list of 50, all leads", page(LeadQuery::new())),
        ("list of 50, by client account", page(LeadQuery::new().client(client(1)))),
        ("list of 50, by stage", page(LeadQuery::new().stage(stage(2)))),
        ("list of 50, at 90 % depth", page(LeadQuery::new().window(deep))),
        ("pipelines", Operation::Pipelines),
        ("client accounts", Operation::Clients),
        ("create", Operation::Create),
        ("create with a key", Operation::CreateWithKey),
        ("update", Operation::Update),
        ("delete", Operation::Delete),
    ]
}

/// Runs an operation once for each number, by several callers.
async fn run(store: &SqlStore, operation: &Operation, numbers: std::ops::Range<usize>) {
    stream::iter(numbers).map(|nth| call(store, operation, nth)).buffer_unordered(CALLERS).collect::<()>().await;
}

async fn call(store: &SqlStore, operation: &Operation, nth: usize) {
    match operation {
        Operation::Read(what) => read(store, what, nth, LEADS).await,
        Operation::Pipelines => drop(store.pipelines(&business(), Window::default()).await.unwrap()),
        Operation::Clients => drop(store.clients(&business(), Window::default()).await.unwrap()),
        Operation::Create => drop(create(store, nth, None).await),
        // The leads of the creates without a key have the numbers before.
        Operation::CreateWithKey => drop(create(store, nth + 2 * CALLS, Some(nth)).await),
        Operation::Update => {
            let patch = LeadPatch::new().notes(format!("Call {nth}.")).check().unwrap();
            store.update(&business(), &Author::Host, &lead_id(nth), &patch).await.unwrap();
        }
        Operation::Delete => assert!(store.delete(&business(), &Author::Host, &lead_id(nth)).await.unwrap()),
    }
}

/// Returns the CPU time of each other connection of the database in nanoseconds, by process.
async fn cpu_times(observer: &Client) -> HashMap<i32, u64> {
    let others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let rows = observer.query(others, &[]).await.unwrap();
    let time = |pid: i32| {
        let statistics = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap();
        statistics.split(' ').next().unwrap().parse().unwrap()
    };
    rows.iter().map(|row| row.get(0)).map(|pid| (pid, time(pid))).collect()
}
