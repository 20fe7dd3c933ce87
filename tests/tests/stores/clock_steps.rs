//! Tests of a PostgreSQL database whose clock steps.

use leadapi_core::port::{Clock, Created};
use leadapi_sql::SqlStore;
use leadapi_tests::{eventually, postgres::Cluster};
use tokio_postgres::{Client, NoTls};

use crate::idempotency::{create, open, replayed};

/// Replaces the clock of a database with one that a test can set. The function hides PostgreSQL's own function, because
/// its schema comes first in the search path.
const ADJUSTABLE_CLOCK: &str = "CREATE TABLE clock_step (by interval NOT NULL); \
    INSERT INTO clock_step VALUES ('0'); \
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE \
        AS 'SELECT pg_catalog.clock_timestamp() + by FROM public.clock_step'; \
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$";

async fn with_adjustable_clock(cluster: &Cluster) -> (String, Client) {
    let url = cluster.url(&cluster.create_database("steps").await);
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(ADJUSTABLE_CLOCK).await.unwrap();
    (url, client)
}

async fn set_clock(client: &Client, by: &str) {
    client.execute(&format!("UPDATE clock_step SET by = '{by}'"), &[]).await.unwrap();
}

async fn step(store: &SqlStore, client: &Client, by: &str) {
    set_clock(client, by).await;
    // Reads the clock. Nothing is deleted, because the clocks differ, or because no key is old enough.
    assert!(!store.delete_expired().await.unwrap(), "a step by {by}");
}

#[tokio::test]
async fn keys_are_replayed_while_the_clock_of_the_database_steps_forward_and_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let (url, client) = with_adjustable_clock(cluster).await;
    let store = open(&url).await;
    let mut keys: Vec<String> = Vec::new();
    for (nth, by) in ["0", "25 hours", "0", "-10 days", "-10 days", "10 days", "0"].into_iter().enumerate() {
        step(&store, &client, by).await;
        let now = store.clock().now().to_string();
        for key in &keys {
            replayed(create(&store, key, "other", &now).await);
        }
        let key = format!("key-{nth}");
        assert!(matches!(create(&store, &key, &key, &now).await, Created::New(_)), "{key}");
        keys.push(key);
    }
    let stored = client.query_one("SELECT count(*) FROM idempotency", &[]).await.unwrap();
    assert_eq!(stored.get::<_, i64>(0), 7);
}

/// Covers two cases: the other servers stop, so that no server sees the clock both before and after a step, or they
/// keep running and see both.
#[tokio::test]
async fn keys_are_replayed_by_a_server_that_starts_after_a_step() {
    let Some(cluster) = Cluster::shared() else { return };
    for others_continue in [false, true] {
        let (url, client) = with_adjustable_clock(cluster).await;
        let (mut keys, mut others) = (Vec::<String>::new(), Vec::new());
        for (nth, by) in ["0", "25 hours", "50 hours", "-10 days", "10 days", "-1 hour", "0"].into_iter().enumerate() {
            set_clock(&client, by).await;
            let store = open(&url).await;
            for key in &keys {
                let now = store.clock().now().to_string();
                replayed(create(&store, key, "other", &now).await);
            }
            let (key, now) = (format!("key-{nth}"), store.clock().now().to_string());
            assert!(matches!(create(&store, &key, &key, &now).await, Created::New(_)), "{key}");
            keys.push(key);
            if others_continue {
                others.push(store);
            }
        }
        for store in &others {
            step(store, &client, "25 hours").await;
            let now = store.clock().now().to_string();
            for key in &keys {
                replayed(create(store, key, "other", &now).await);
            }
        }
    }
}

/// The system clock of the server is right, but the database's clock decides.
#[tokio::test]
async fn the_clock_of_a_store_is_the_one_of_its_database() {
    let Some(cluster) = Cluster::shared() else { return };
    let (url, client) = with_adjustable_clock(cluster).await;
    let store = open(&url).await;
    let before = store.clock().now();
    step(&store, &client, "1 hour").await;
    let gained = store.clock().now().saturating_duration_since(before).as_secs();
    assert!((3_600..7_200).contains(&gained), "{gained}");
    let read = "SELECT cast(floor(extract(epoch FROM public.clock_timestamp()) * 1000) AS bigint)";
    // On a busy machine, a reading may take longer than the difference that is allowed.
    eventually("the clocks agree", async || {
        store.delete_expired().await.unwrap();
        let now: i64 = client.query_one(read, &[]).await.unwrap().get(0);
        (now - store.clock().now().unix_millis()).abs() < 1_000
    })
    .await;
}
