//! Tests of the deletion of expired idempotency keys and commit records in PostgreSQL. Only one server at a time
//! deletes them.

use leadapi_core::{
    auth::Author,
    dataset::Dataset,
    model::Timestamp,
    port::{Created, Store},
};
use leadapi_sql::SqlStore;
use leadapi_tests::{eventually, in_time, postgres::Cluster};
use tokio_postgres::Client;

use crate::{
    fixture::connect,
    idempotency::{create, replayed},
};

const DATA: &str = r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
    "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}],
    "pipelines": [{"id": "p1", "name": "P", "created_at": "2026-01-01T00:00:00Z", "stages": [
        {"id": "s1", "name": "One", "position": 1}]}]}]}"#;

/// The last millisecond in which a partition receives new keys. `NOON` belongs to the next partition.
const MORNING: &str = "2026-05-04T11:59:59.999Z";
const NOON: &str = "2026-05-04T12:00:00Z";
/// At this time, new keys go to the same partition as at `MORNING`.
const TWO_DAYS_LATER: &str = "2026-05-06T09:00:00Z";

/// Adds an old record of a server that has stopped.
const STOPPED: &str = "INSERT INTO operation SELECT business_id, 'stopped', '', 0 FROM business";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn two_servers(cluster: &Cluster) -> ([SqlStore; 2], Client) {
    let url = cluster.url(&cluster.create_database("housekeeping").await);
    let open = async || SqlStore::open(&url.parse().unwrap()).await.unwrap();
    let servers = [open().await, open().await];
    servers[0].import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    (servers, connect(&url).await)
}

async fn keys(client: &Client) -> i64 {
    client.query_one("SELECT count(*) FROM idempotency", &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_key_contains_its_lead_only_after_a_change() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], client) = two_servers(cluster).await;
    for id in ["l1", "l2"] {
        create(&store, id, id, NOON).await;
    }
    let copies = "SELECT count(*) FROM idempotency WHERE lead IS NOT NULL";
    assert_eq!(client.query_one(copies, &[]).await.unwrap().get::<_, i64>(0), 0);
    store.delete(&crate::fixture::business(), &Author::Host, &"l1".parse().unwrap()).await.unwrap();
    assert_eq!(client.query_one(copies, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn a_partition_is_emptied_once_all_its_keys_have_expired() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], client) = two_servers(cluster).await;
    create(&store, "early", "l0", "2026-05-04T00:00:00Z").await;
    create(&store, "morning", "l1", MORNING).await;
    create(&store, "noon", "l2", NOON).await;
    assert!(!store.delete_expired_at(at("2026-05-05T11:59:59.998Z")).await.unwrap());
    assert_eq!(keys(&client).await, 3);
    assert!(store.delete_expired_at(at("2026-05-05T11:59:59.999Z")).await.unwrap());
    assert_eq!(keys(&client).await, 1);
    replayed(create(&store, "noon", "x", "2026-05-05T11:59:59.999Z").await);
}

/// If no server runs while a partition should be emptied, the partition later contains both expired and current keys.
/// The keys still behave as usual, and the partition is emptied once the current keys have expired too.
#[tokio::test]
async fn a_partition_that_was_not_emptied_in_time_is_used_again() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], client) = two_servers(cluster).await;
    create(&store, "old", "l1", MORNING).await;
    create(&store, "new", "l2", TWO_DAYS_LATER).await;
    let partitions = "SELECT count(DISTINCT tableoid) FROM idempotency";
    assert_eq!(client.query_one(partitions, &[]).await.unwrap().get::<_, i64>(0), 1);
    assert!(!store.delete_expired_at(at(TWO_DAYS_LATER)).await.unwrap());
    replayed(create(&store, "new", "x", TWO_DAYS_LATER).await);
    assert!(matches!(create(&store, "old", "l3", TWO_DAYS_LATER).await, Created::New(_)));
    replayed(create(&store, "old", "x", TWO_DAYS_LATER).await);
    assert!(store.delete_expired_at(at("2026-05-07T09:00:00Z")).await.unwrap());
    assert_eq!(keys(&client).await, 0);
}

#[tokio::test]
async fn keys_from_before_1970_are_stored() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], _client) = two_servers(cluster).await;
    for (nth, time) in ["1969-12-31T23:00:00Z", "1969-12-31T11:00:00Z", "1969-12-30T23:00:00Z"].into_iter().enumerate()
    {
        let key = nth.to_string();
        assert!(matches!(create(&store, &key, &key, time).await, Created::New(_)));
        replayed(create(&store, &key, "x", time).await);
    }
}

/// The open transaction locks the partitions, as a running backup does.
#[tokio::test]
async fn a_long_read_delays_the_deletion_but_no_create() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], client) = two_servers(cluster).await;
    create(&store, "morning", "l1", MORNING).await;
    client.batch_execute("BEGIN; SELECT count(*) FROM idempotency").await.unwrap();
    let later = at("2026-05-05T12:00:00Z");
    assert!(!in_time("the deletion gives up", store.delete_expired_at(later)).await.unwrap());
    assert!(matches!(create(&store, "next", "l2", "2026-05-05T12:00:00Z").await, Created::New(_)));
    client.batch_execute("COMMIT").await.unwrap();
    assert!(store.delete_expired_at(later).await.unwrap());
    assert_eq!(keys(&client).await, 1);
}

/// The first server gets stuck in the middle of its work, because another connection locks the record that it deletes.
#[tokio::test]
async fn one_server_works_at_a_time_and_another_takes_over() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([one, other], client) = two_servers(cluster).await;
    create(&one, "morning", "l1", MORNING).await;
    client.batch_execute(STOPPED).await.unwrap();
    client.batch_execute("BEGIN; SELECT * FROM operation FOR UPDATE").await.unwrap();
    let later = at("2026-05-05T12:00:00Z");
    let working = tokio::spawn(async move { one.delete_expired_at(later).await });
    let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let row = eventually("the first server waits", async || client.query_opt(waits, &[]).await.unwrap()).await;
    let pid: i32 = row.get(0);
    let worked = in_time("the other server's round", other.delete_expired_at(later)).await.unwrap();
    assert!(!worked, "the other server must leave the work to the first");
    assert_eq!(keys(&client).await, 1);
    // Aborts the rest of the first server's round. Its open transaction ends when its connection does.
    working.abort();
    client.execute("SELECT pg_terminate_backend($1, 5000)", &[&pid]).await.unwrap();
    client.batch_execute("COMMIT").await.unwrap();
    // The first server may retry the transaction, so the other server may need more than one round.
    eventually("the other server takes over", async || other.delete_expired_at(later).await.unwrap()).await;
    assert_eq!(keys(&client).await, 0);
}

/// Servers of earlier versions take an advisory lock instead of locking a row.
#[tokio::test]
async fn records_are_not_deleted_while_a_server_of_either_version_deletes_them() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([store, _], client) = two_servers(cluster).await;
    create(&store, "morning", "l1", MORNING).await;
    let later = at("2026-05-05T12:00:00Z");
    for lock in [
        "SELECT pg_advisory_xact_lock(x'6c65616461706931'::bigint)",
        "SELECT FROM exclusive_task WHERE task = 'delete_expired' FOR UPDATE",
    ] {
        client.batch_execute(&format!("BEGIN; {lock}")).await.unwrap();
        assert!(!in_time("a round", store.delete_expired_at(later)).await.unwrap(), "{lock}");
        client.batch_execute("COMMIT").await.unwrap();
    }
    // A restore of a part of the data may have lost the tasks.
    client.batch_execute("DELETE FROM exclusive_task").await.unwrap();
    assert!(store.delete_expired_at(later).await.unwrap());
}

/// The records seem old if the clock of the database steps forward.
#[tokio::test]
async fn commit_records_are_deleted_only_for_servers_that_are_no_longer_members() {
    let Some(cluster) = Cluster::shared() else { return };
    let ([one, other], client) = two_servers(cluster).await;
    create(&one, "one", "l1", NOON).await;
    create(&other, "other", "l2", NOON).await;
    client.batch_execute(STOPPED).await.unwrap();
    client.batch_execute("UPDATE operation SET committed_at = 0").await.unwrap();
    let records = async || {
        let records = "SELECT count(*) FROM operation";
        client.query_one(records, &[]).await.unwrap().get::<_, i64>(0)
    };
    assert_eq!(records().await, 3);
    one.delete_expired_at(at(NOON)).await.unwrap();
    assert_eq!(records().await, 2);
    // Other servers remove a member that was frozen for too long.
    client.batch_execute("DELETE FROM rate_server").await.unwrap();
    other.delete_expired_at(at(NOON)).await.unwrap();
    assert_eq!(records().await, 0);
    let mut nth = 0;
    let creates = async || {
        nth += 1;
        let id = format!("again-{nth}");
        assert!(matches!(create(&one, &id, &id, NOON).await, Created::New(_)));
        records().await == 1
    };
    eventually("the server creates its record again", creates).await;
}
