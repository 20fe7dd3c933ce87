//! Tests of exports from PostgreSQL: to a slow reader, and of every table.

use std::{thread::sleep, time::Duration};

use leadapi_core::dataset::Dataset;
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use tokio_postgres::Client;

use crate::fixture::{connect, create, open};

/// Longer than the `idle_in_transaction_session_timeout` that applies to ordinary requests.
const SLOW: Duration = Duration::from_millis(5_500);

#[tokio::test]
async fn an_export_waits_for_a_slow_reader() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = open(&cluster.url(&cluster.create_database("export").await), 2).await;
    create(&store, "Ann", "key").await.unwrap();
    let second = r#"{"businesses": [{"id": "b2", "name": "B", "created_at": "2026-01-01T00:00:00Z"}]}"#;
    store.import(Dataset::parse(second).unwrap(), |_| {}).await.unwrap();
    let (sender, exported) = std::sync::mpsc::channel();
    let slowly = move |business| {
        sleep(SLOW);
        Ok(sender.send(business)?)
    };
    store.export(slowly).await.unwrap();
    let leads: Vec<usize> = exported.iter().map(|business| business.leads.len()).collect();
    assert_eq!(leads, [1, 0]);
}

/// All tables. If a data set does not carry the rows of a table, the second value is the reason.
const TABLES: [(&str, Option<&str>); 20] = [
    ("audit", None),
    ("business", None),
    ("client", None),
    ("exclusive_task", Some("the tasks that only one server at a time may run belong to the store")),
    ("form", None),
    ("idempotency", None),
    ("key_clock", Some("the key time belongs to the store")),
    ("lead", None),
    ("leadapi_schema", Some("the version of the schema belongs to the store")),
    ("login_link", Some("a sign-in link lasts for minutes")),
    ("member", None),
    ("operation", Some("a commit belongs to the store")),
    ("pipeline", None),
    ("rate_limit", Some("a rate limit lasts for a minute")),
    ("rate_server", Some("the servers belong to the store")),
    ("readiness_probe", Some("the servers write it")),
    ("session", Some("people sign in again")),
    ("stage", None),
    ("tally", Some("the import counts the leads")),
    ("token", None),
];

#[tokio::test]
async fn an_export_carries_every_table_unless_there_is_a_reason() {
    let Some(cluster) = Cluster::shared() else { return };
    let (old, new) = (cluster.create_database("carried").await, cluster.create_database("carried_to").await);
    let (old, new) = (cluster.url(&old), cluster.url(&new));
    let (store, before, after) = (open(&old, 2).await, connect(&old).await, connect(&new).await);
    let sample = Dataset::parse(leadapi_core::dataset::SAMPLE).unwrap();
    store.import(sample, |_| {}).await.unwrap();
    create(&store, "Ann", "key").await.unwrap();
    let entry = "INSERT INTO audit (business_id, at, id, action, email, address, token_id, token_name) \
        SELECT business_id, 1777896000000, 'a1', 'token_created', 'ann@example.org', \
        '192.0.2.1', 't1', 'website' FROM business LIMIT 1";
    before.batch_execute(entry).await.unwrap();
    let (sender, exported) = std::sync::mpsc::channel();
    store.export(move |business| Ok(sender.send(business)?)).await.unwrap();
    let copy = SqlStore::open(&new.parse().unwrap()).await.unwrap();
    copy.import(Dataset::new(exported.iter().collect()), |_| {}).await.unwrap();

    let sql = "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
        AND relnamespace = 'public'::regnamespace ORDER BY relname COLLATE \"C\"";
    let tables = column(&before, sql).await;
    assert_eq!(tables, TABLES.map(|(name, _)| name), "is the new table in a data set?");
    for (table, _) in TABLES.iter().filter(|(_, reason)| reason.is_none()) {
        let rows = format!("SELECT row_to_json({table})::text AS row FROM {table} ORDER BY row");
        let (before, after) = (column(&before, &rows).await, column(&after, &rows).await);
        assert!(!before.is_empty(), "{table} has no rows to carry");
        assert_eq!(before, after, "{table}");
    }
}

async fn column(database: &Client, sql: &str) -> Vec<String> {
    database.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}
