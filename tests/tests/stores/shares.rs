//! Tests that a business whose records are locked by another program leaves connections for the other businesses.

use std::time::{Duration, Instant};

use leadapi_core::{
    auth::{Author, BearerToken, Scopes},
    dataset::Dataset,
    id::{BusinessId, ClientId, LeadId},
    model::{NewLead, Timestamp, Window},
    port::{Store, StoreError, TokenRecord, TokenStore},
    validate::NewLeadMeta,
};
use leadapi_server::store::{DatabaseUrl, SqlStore};
use leadapi_tests::{eventually, postgres::Cluster};
use tokio_postgres::NoTls;

const DATA: &str = r#"{"businesses": [
    {"id": "locked", "name": "L", "created_at": "2026-01-01T00:00:00Z",
        "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]},
    {"id": "free", "name": "F", "created_at": "2026-01-01T00:00:00Z",
        "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]}]}"#;
const CONNECTIONS: usize = 4;

fn business(id: &str) -> BusinessId {
    BusinessId::parse(id).unwrap()
}

async fn create(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    let draft = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann").check().unwrap();
    let lead = LeadId::parse(uuid::Uuid::now_v7().to_string()).unwrap();
    store.create(&business(id), &Author::Host, NewLeadMeta::new(lead, Timestamp::now()), draft, None).await.map(drop)
}

async fn add_token(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    let secret = BearerToken::generate().unwrap();
    store.insert(&business(id), TokenRecord::new(&secret, "t", Scopes::Both, Timestamp::now())).await
}

async fn read(store: &SqlStore, id: &str) -> Result<(), StoreError> {
    store.clients(&business(id), Window::default()).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_business_leaves_connections_for_the_others() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("shares").await);
    let store = SqlStore::open(&url.parse::<DatabaseUrl>().unwrap().connections(CONNECTIONS)).await.unwrap();
    store.import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    for id in ["locked", "free"] {
        create(&store, id).await.unwrap();
    }
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN; SELECT * FROM business WHERE business_id = 'locked' FOR UPDATE").await.unwrap();
    let mut blocked = Vec::new();
    for _ in 0..50 {
        let (writer, admin, reader) = (store.clone(), store.clone(), store.clone());
        blocked.push(tokio::spawn(async move { create(&writer, "locked").await.is_ok() }));
        blocked.push(tokio::spawn(async move { add_token(&admin, "locked").await.is_ok() }));
        blocked.push(tokio::spawn(async move { read(&reader, "locked").await.is_ok() }));
    }
    let (observer, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = async || observer.query_one(waits, &[]).await.unwrap().get::<_, i64>(0);
    eventually("the locked business uses its share", async || waiting().await > 1).await;
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        create(&store, "free").await.unwrap();
        add_token(&store, "free").await.unwrap();
        read(&store, "free").await.unwrap();
        assert!(usize::try_from(waiting().await).unwrap() <= CONNECTIONS / 2);
    }
    client.batch_execute("COMMIT").await.unwrap();
    for task in blocked {
        task.await.unwrap();
    }
    for id in ["locked", "free"] {
        eventually("the business works", async || create(&store, id).await).await;
    }
}
