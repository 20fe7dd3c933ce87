//! Tests of databases that Citus distributes over a coordinator and two workers.

use std::collections::BTreeSet;

use leadapi_core::{
    auth::{Author, TokenHash},
    dataset::{Dataset, SAMPLE},
    model::Timestamp,
    port::{SettingsStore, Store},
};
use leadapi_sql::{DatabaseUrl, SqlStore};
use leadapi_tests::postgres::Cluster;
use tokio_postgres::Client;

use crate::fixture::{self, business, connect, create, id, rename};

/// The statements that run on all nodes, and why.
const ON_ALL_NODES: [(&str, &str); 4] = [
    ("SELECT business_id, name, created_at FROM business ORDER BY", "the operator lists all businesses"),
    (
        "WHERE member.email_key = $1 ORDER BY business.name",
        "a person who signs in through a proxy may be in any business",
    ),
    ("DELETE FROM operation WHERE committed_at <", "one statement an hour deletes the old records of all businesses"),
    ("SELECT max(coalesce(stored_at, created_at)) FROM idempotency_", "a partition has the keys of all businesses"),
];

/// Returns the statements of the store in the log of the server, without those of the tests.
fn logged(log: &str) -> BTreeSet<String> {
    let executed = log.lines().filter_map(|line| line.split_once("LOG:  execute ")?.1.split_once(": "));
    executed.map(|(_, sql)| sql.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Returns the number of shards that a statement, or the part of it with the most shards, reads or writes. Returns
/// `None` if Citus does not plan it.
async fn shards(client: &Client, sql: &str) -> Option<usize> {
    client.batch_execute(&format!("PREPARE planned AS {sql}")).await.unwrap();
    let types = "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'planned'";
    let types: Vec<String> = client.query_one(types, &[]).await.unwrap().get(0);
    let value = |ty: &String| match ty.trim_end_matches("[]") {
        "bytea" => r"'\x00'",
        "text" => "'b1'",
        _ => "'1'",
    };
    let values = types.iter().map(|ty| if ty.ends_with("[]") { "'{}'" } else { value(ty) });
    let values = values.collect::<Vec<_>>().join(", ");
    let values = if values.is_empty() { values } else { format!("({values})") };
    let plan = client.simple_query(&format!("EXPLAIN (COSTS OFF) EXECUTE planned{values}")).await;
    client.batch_execute("DEALLOCATE planned").await.unwrap();
    let plan = plan.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let lines = plan.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let counts = lines.filter_map(|line| line.split_once("Task Count: ")?.1.parse::<usize>().ok());
    counts.max()
}

/// Runs the conformance suites on one server, and returns its log.
async fn conformance_log() -> Option<String> {
    let cluster = Cluster::start(&["log_statement=all"])?;
    let make = async |dataset: Dataset| {
        let url = cluster.url(&cluster.create_database("statements").await);
        let store = SqlStore::open(&url.parse()?).await?;
        store.import(dataset, |_| {}).await?;
        store.delete_expired_at(Timestamp::now()).await?;
        Ok(store)
    };
    leadapi_conformance::run(&make).await.unwrap();
    leadapi_conformance::run_tokens(&make).await.unwrap();
    leadapi_conformance::run_settings(&make).await.unwrap();
    leadapi_conformance::run_admin(&make).await.unwrap();
    Some(cluster.log())
}

/// Runs what a store does differently in a cluster.
async fn write(url: &str) {
    let store = fixture::open(url, 2).await;
    let lead = id(create(&store, "Ann", "key").await.unwrap());
    rename(&store, &lead, "Bo").await.unwrap();
    store.delete(&business(), &Author::Host, &lead).await.unwrap();
    store.find_session(&TokenHash::from_bytes([0; 32]), Timestamp::now()).await.unwrap();
}

/// Returns whether a store runs this statement in a cluster. The other statements belong to migrations, or run only on
/// a single PostgreSQL server.
fn is_used_in_a_cluster(sql: &str) -> bool {
    let others = ["pg_", "leadapi_schema", "to_regclass", "SELECT business_id, email FROM member", "FROM session JOIN"];
    !sql.starts_with("WITH part_") && !others.iter().any(|part| sql.contains(part))
}

#[tokio::test]
async fn each_statement_runs_on_the_node_that_holds_the_business() {
    let Some(cluster) = Cluster::start_citus(&["log_statement=all"]) else { return };
    let Some(log) = conformance_log().await else { return };
    let url = cluster.url(&cluster.create_database("plans").await);
    write(&url).await;
    let mut statements = logged(&log);
    statements.extend(logged(&cluster.log()));
    let client = connect(&url).await;
    let (mut found, mut on_all) = (0, BTreeSet::<&str>::new());
    for sql in statements.iter().filter(|sql| is_used_in_a_cluster(sql)) {
        let exception = ON_ALL_NODES.iter().find(|(part, _)| sql.contains(part));
        let shards = shards(&client, sql).await;
        assert_eq!(shards.is_some_and(|shards| shards > 1), exception.is_some(), "{shards:?} shards: {sql}");
        on_all.extend(exception.map(|(part, _)| *part));
        found += 1;
    }
    assert!(found > 100, "{found} statements");
    assert_eq!(on_all.len(), ON_ALL_NODES.len(), "{on_all:?}");
}

/// Creates a database with data that is not distributed yet.
async fn grown(cluster: &Cluster) -> (DatabaseUrl, String) {
    cluster.create_undistributed_database("grown").await;
    let url: DatabaseUrl = cluster.url("grown").parse().unwrap();
    let store = SqlStore::open(&url).await.unwrap();
    store.import(Dataset::parse(SAMPLE).unwrap(), |_| {}).await.unwrap();
    (url, export(&store).await)
}

async fn export(store: &SqlStore) -> String {
    let (sender, exported) = std::sync::mpsc::channel();
    store.export(move |business| Ok(sender.send(format!("{business:?}"))?)).await.unwrap();
    exported.iter().collect()
}

async fn error(url: &DatabaseUrl) -> String {
    SqlStore::open(url).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_database_is_distributed_once_and_every_migration_completes_the_layout() {
    let Some(mut cluster) = Cluster::start_citus(&[]) else { return };
    let (url, data) = grown(&cluster).await;
    let server = SqlStore::open(&url).await.unwrap();
    let refusal = SqlStore::distribute(&url).await.unwrap_err().to_string();
    assert!(refusal.contains("open connections to the database: stop them first"), "{refusal}");
    drop(server);
    assert!(SqlStore::distribute(&url).await.unwrap() > 0);
    let server = SqlStore::open(&url).await.unwrap();
    assert_eq!(SqlStore::distribute(&url).await.unwrap(), 0);
    drop(server);
    assert_eq!(export(&SqlStore::open(&url).await.unwrap()).await, data);
    let client = connect(&cluster.url("grown")).await;
    let others = "SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind IN ('r', 'p') \
        AND relnamespace = 'public'::regnamespace AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)";
    assert_eq!(client.query_one(others, &[]).await.unwrap().get::<_, &str>(0), "leadapi_schema");
    // The next start runs the last migration again.
    let newest = "DELETE FROM leadapi_schema WHERE version = (SELECT max(version) FROM leadapi_schema)";
    client.batch_execute(&format!("{newest}; DROP TABLE exclusive_task")).await.unwrap();
    assert_eq!(export(&SqlStore::open(&url).await.unwrap()).await, data);
    client.batch_execute("SELECT undistribute_table('exclusive_task')").await.unwrap();
    assert!(error(&url).await.contains("run: leadapi db distribute"), "{}", error(&url).await);
    assert_eq!(SqlStore::distribute(&url).await.unwrap(), 1);
    SqlStore::open(&url).await.unwrap();
    let worker = cluster.worker(0).url("grown").parse().unwrap();
    assert!(error(&worker).await.contains("connect to the coordinator"), "{}", error(&worker).await);
}

#[tokio::test]
async fn a_database_without_citus_is_not_distributed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("leads.db").display()).parse().unwrap();
    assert!(SqlStore::distribute(&url).await.unwrap_err().to_string().contains("only a PostgreSQL database"));
    let Some(cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("plain").await);
    let error = SqlStore::distribute(&url.parse().unwrap()).await.unwrap_err().to_string();
    assert!(error.contains("does not have the extension citus"), "{error}");
    let schema = connect(&url).await.query_one("SELECT to_regclass('leadapi_schema') IS NULL", &[]).await.unwrap();
    assert!(schema.get::<_, bool>(0), "the database was migrated");
}
