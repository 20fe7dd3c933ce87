//! Measures the store on PostgreSQL. The baseline consists of hand-written statements on the same driver.

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::Mutex,
    time::{Duration, Instant},
};

use leadapi_core::model::LeadQuery;
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

use crate::{
    creates::{concurrent, service},
    data::{business, dataset, lead_id, median, micros, moment, new_lead, sizes, time},
    reads::{Read, read, reads},
};

const CONNECTIONS: usize = 10;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 5;

pub(crate) async fn all() {
    // `fsync` is on, as in production.
    let Some(cluster) = Cluster::start(&["fsync=on"]) else { return };
    for leads in sizes() {
        let url = cluster.url(&cluster.create_database("bench").await);
        let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        let begun = Instant::now();
        store.import(dataset(leads), |_| {}).await.unwrap();
        let took = begun.elapsed();
        let hand = Hand { client: connect(&url).await, known: Mutex::default() };
        hand.client.batch_execute("VACUUM ANALYZE").await.unwrap();
        println!("\nReads with {leads} leads in one business, medians (imported into PostgreSQL in {took:.1?})");
        println!("  {:<24}{:>12}{:>12}{:>8}", "", "by hand", "PostgreSQL", "ratio");
        for (name, what) in reads(leads) {
            let by_hand = time(async |nth| by_hand(&hand, &what, nth, leads).await).await;
            let through = time(async |nth| read(&store, &what, nth, leads).await).await;
            let ratio = through / by_hand;
            println!("  {name:<24}{:>12}{:>12}{ratio:>8.2}", micros(by_hand), micros(through));
        }
    }
    creates(&cluster).await;
}

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Reads a lead, or a page and its total. The total comes from a `count(*)`, not from stored counts, and both queries
/// are pipelined.
async fn by_hand(hand: &Hand, what: &Read, nth: usize, leads: usize) {
    const COLUMNS: &str = "id, client_id, name, email, phone, source, notes, value, pipeline_id, stage_id, \
        business_name, created_at";
    let owner = business();
    let owner = owner.as_str();
    match what {
        Read::One => {
            let id = lead_id(nth * 7_919 % leads);
            let sql = format!("SELECT {COLUMNS} FROM lead WHERE business_id = $1 AND id = $2");
            let statement = hand.prepared(sql).await;
            hand.client.query_one(&statement, &[&owner, &id.as_str()]).await.unwrap();
        }
        Read::Page(LeadQuery { client: account, stage, window, .. }) => {
            let mut filters = vec![owner];
            let mut clause = "business_id = $1".to_owned();
            for (column, id) in
                [("client_id", account.as_ref().map(AsRef::as_ref)), ("stage_id", stage.as_ref().map(AsRef::as_ref))]
            {
                if let Some(id) = id {
                    filters.push(id);
                    write!(clause, " AND {column} = ${}", filters.len()).unwrap();
                }
            }
            let (limit, offset) = (i64::from(window.limit()), i64::try_from(window.offset()).unwrap());
            let page = format!(
                "SELECT {COLUMNS} FROM lead WHERE {clause} ORDER BY created_at DESC, id DESC LIMIT {limit} OFFSET {offset}"
            );
            let count = format!("SELECT count(*) FROM lead WHERE {clause}");
            let (page, count) = (hand.prepared(page).await, hand.prepared(count).await);
            let params: Vec<&(dyn ToSql + Sync)> = filters.iter().map(|id| -> &(dyn ToSql + Sync) { id }).collect();
            let (page, count) = tokio::join!(hand.client.query(&page, &params), hand.client.query_one(&count, &params));
            assert!(!page.unwrap().is_empty());
            count.unwrap();
        }
    }
}

/// The baseline: a connection that prepares each statement once, as the store does.
struct Hand {
    client: Client,
    known: Mutex<HashMap<String, Statement>>,
}

impl Hand {
    async fn prepared(&self, sql: String) -> Statement {
        let known = self.known.lock().unwrap().get(&sql).cloned();
        if let Some(known) = known {
            return known;
        }
        let statement = self.client.prepare(&sql).await.unwrap();
        self.known.lock().unwrap().insert(sql, statement.clone());
        statement
    }
}

/// Measures creates by 64 callers in one business. The baseline inserts bare leads on as many connections as the pool
/// has.
async fn creates(cluster: &Cluster) {
    let url = cluster.url(&cluster.create_database("bench").await);
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.import(dataset(1_000), |_| {}).await.unwrap();
    let (service, token) = service(store).await;
    let (mut bares, mut all, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let bare = bare(&url, round).await;
        let through = concurrent(&service, &token).await;
        bares.push(bare);
        all.push(through);
        ratios.push(through / bare);
    }
    println!("\nPostgreSQL, creates per second in one business, medians of {ROUNDS} alternating rounds of {ROUND:?}");
    println!("  bare INSERTs of leads on {CONNECTIONS} connections  {:>8.0}", median(bares));
    println!("  64 callers through the service       {:>8.0}", median(all));
    println!("  ratio                                {:>8.2}", median(ratios));
}

async fn bare(url: &str, round: usize) -> f64 {
    const INSERT: &str = "INSERT INTO lead (business_id, id, client_id, name, email, phone, source, notes, value, \
        pipeline_id, stage_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let begun = Instant::now();
    let connections = (0..CONNECTIONS).map(|nth| {
        let url = url.to_owned();
        tokio::spawn(async move {
            let client = connect(&url).await;
            let statement = client.prepare(INSERT).await.unwrap();
            let mut created = 0;
            while begun.elapsed() < ROUND {
                created += 1;
                let new = new_lead(created);
                let id = format!("bare-{round}-{nth}-{created}");
                let at = moment(1_000_000 + created).unix_millis();
                let pipeline = "019bb17b-d806-7737-af83-b92ecab91001";
                let params: [&(dyn ToSql + Sync); 12] = [
                    &business().as_str().to_owned(),
                    &id,
                    &new.client_id,
                    &new.name,
                    &new.email,
                    &new.phone,
                    &new.source,
                    &new.notes,
                    &new.value,
                    &pipeline,
                    &new.stage_id,
                    &at,
                ];
                client.execute(&statement, &params).await.unwrap();
            }
            created
        })
    });
    let mut created = 0;
    for connection in connections.collect::<Vec<_>>() {
        created += connection.await.unwrap();
    }
    created as f64 / begun.elapsed().as_secs_f64()
}
