//! Measures the cost of idempotency keys on PostgreSQL: the size of their records, and the time of keyed operations.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use futures_util::{StreamExt, stream};
use leadapi_core::{
    auth::Author,
    model::{IdempotencyKey, LeadPatch, Timestamp},
    port::{Created, Idempotency, Store},
    validate::NewLeadMeta,
};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;

use crate::{
    data::{business, dataset, lead_id, micros, new_lead},
    postgres::connect,
};

const RECORDS: usize = 100_000;
const CONCURRENCY: usize = 256;
const CALLS: usize = 500;

pub(crate) async fn postgres() {
    let Some(cluster) = Cluster::start(&["fsync=on"]) else { return };
    let url = cluster.url(&cluster.create_database("bench").await);
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.import(dataset(0), |_| {}).await.unwrap();
    let client = connect(&url).await;
    let bytes = async |table: &str| -> f64 {
        let size =
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND relname LIKE $1";
        client.query_one(size, &[&table]).await.unwrap().get::<_, i64>(0) as f64
    };
    let number = async |sql: &str| client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) as f64;
    let wal = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";
    let empty = bytes("idempotency%").await;
    let wal_before = number(wal).await;
    let filling = stream::iter(0..RECORDS).map(|nth| create(&store, nth, Some(nth)));
    filling.buffer_unordered(CONCURRENCY).for_each(async |created| assert!(matches!(created, Created::New(_)))).await;
    let per_record = (bytes("idempotency%").await - empty) / RECORDS as f64;
    let wal_per_create = (number(wal).await - wal_before) / RECORDS as f64;
    let per_lead = bytes("lead").await / RECORDS as f64;
    let indexes = number("SELECT pg_indexes_size('lead')").await;
    let counts = number("SELECT count(*) FROM tally").await;
    client.batch_execute("VACUUM ANALYZE").await.unwrap();
    println!("\nIdempotency keys on PostgreSQL, after {RECORDS} keyed creates in one business");
    println!("  bytes per record, with indexes  {per_record:>8.0}");
    println!("  bytes per lead, with indexes    {per_lead:>8.0}");
    println!("  of which indexes                {:>8.0}", indexes / RECORDS as f64);
    println!("  rows of lead counts             {counts:>8.0}");
    println!("  bytes per row, with indexes     {:>8.0}", bytes("tally").await / counts);
    println!("  bytes of WAL per create         {wal_per_create:>8.0}");
    // The leads are replayed and updated in a different order from the one in which they were created.
    let next = AtomicUsize::new(RECORDS);
    let spread = |nth: usize| nth * 7_919 % RECORDS;
    let unkeyed = time(async |_| drop(create(&store, next.fetch_add(1, Ordering::Relaxed), None).await)).await;
    let keyed = time(async |_| {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        create(&store, nth, Some(nth)).await;
    });
    let keyed = keyed.await;
    let replay = time(async |nth| {
        let response = create(&store, usize::MAX, Some(spread(nth))).await;
        assert!(matches!(response, Created::Replayed(_)));
    });
    let replay = replay.await;
    let first_update = time(async |nth| rename(&store, spread(nth), "One").await).await;
    let update = time(async |_| rename(&store, spread(0), "Two").await).await;
    println!("  create without a key  {:>12}", micros(unkeyed));
    println!("  create with a key     {:>12}", micros(keyed));
    println!("  replay                {:>12}", micros(replay));
    println!("  first update of a lead{:>12}", micros(first_update));
    println!("  later update          {:>12}", micros(update));
}

/// Returns the 10th percentile of a call's duration in microseconds. Other programs on the machine affect it less than
/// they affect the median.
async fn time(call: impl AsyncFn(usize)) -> f64 {
    let mut figures = Vec::with_capacity(CALLS);
    for nth in 0..CALLS {
        let before = Instant::now();
        call(nth).await;
        figures.push(before.elapsed().as_secs_f64() * 1e6);
    }
    figures.sort_by(f64::total_cmp);
    figures[CALLS / 10]
}

/// Creates a lead with the id of this number. If a key with the same number exists, the response is a replay.
pub(crate) async fn create(store: &SqlStore, nth: usize, key: Option<usize>) -> Created {
    let draft = new_lead(key.unwrap_or(nth)).check().unwrap();
    let key = key.map(|key| {
        // This text is as long as the keys that the client generates.
        let text = format!("{:032x}", (key as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
        Idempotency::new(IdempotencyKey::parse(&text).unwrap(), draft.fingerprint())
    });
    let meta = NewLeadMeta::new(lead_id(nth), Timestamp::now());
    store.create(&business(), &Author::Host, meta, draft, key.as_ref()).await.unwrap()
}

async fn rename(store: &SqlStore, nth: usize, name: &str) {
    store
        .update(&business(), &Author::Host, &lead_id(nth), &LeadPatch::new().name(name).check().unwrap())
        .await
        .unwrap();
}
