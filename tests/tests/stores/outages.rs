//! Tests with a database that crashes, hangs or is unreachable. No acknowledged write may be lost, and every failure
//! must result in a 500.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use leadapi_core::{
    auth::{BearerToken, Scopes},
    clock::SystemClock,
    http::LeadService,
    id::LeadId,
    port::{StoreError, TokenRecord, TokenStore},
    tokens::StoredTokens,
};
use leadapi_sql::SqlStore;
use leadapi_tests::{equals, eventually, postgres::Cluster};
use tower::ServiceExt;

use crate::fixture::{all, business, create, id, open};

const CALLERS: usize = 16;
const CRASHES: usize = 5;

/// Retries with the same key until the create succeeds, as a client would.
async fn retry_until_created(store: &SqlStore, key: &str) -> LeadId {
    loop {
        match create(store, key, key).await {
            Ok(created) => return id(created),
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_postgres_under_load_loses_and_duplicates_no_lead() {
    let Some(mut cluster) = Cluster::start(&["fsync=on"]) else { return };
    let store = open(&cluster.url(&cluster.create_database("outages").await), 4).await;
    let over = Arc::new(AtomicBool::new(false));
    let callers = (0..CALLERS).map(|caller| {
        let (store, over) = (store.clone(), over.clone());
        tokio::spawn(async move {
            let mut made = HashMap::new();
            while !over.load(Ordering::Relaxed) {
                let key = format!("{caller}-{}", made.len());
                made.insert(key.clone(), retry_until_created(&store, &key).await);
            }
            made
        })
    });
    let callers: Vec<_> = callers.collect();
    for crash in 0..CRASHES {
        let before = all(&store).await.len();
        // Kills PostgreSQL under load, each time after a different number of creates.
        eventually("more leads", async || all(&store).await.len() >= before + 20 + 7 * crash).await;
        cluster.kill();
        cluster.restart();
        eventually("the store answers", async || store.is_empty().await).await;
    }
    over.store(true, Ordering::Relaxed);
    let mut acknowledged = HashMap::new();
    for caller in callers {
        acknowledged.extend(caller.await.unwrap());
    }
    let stored: Vec<(LeadId, String)> = all(&store).await;
    assert_eq!(stored.len(), acknowledged.len(), "there must be no duplicate or unknown leads");
    for (id, key) in stored {
        assert_eq!(acknowledged.get(&key), Some(&id), "the stored lead must be the acknowledged one");
    }
    eprintln!("{CRASHES} crashes of PostgreSQL, {} creates acknowledged and stored exactly once", acknowledged.len());
}

/// Returns at least one request for each operation.
fn requests(token: &str) -> Vec<Request<Full<Bytes>>> {
    let lead = r#"{"client_id":"c1","name":"Ann"}"#;
    let request = |method: &str, path: &str, body: &str| {
        let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
        request.body(Full::from(Bytes::from(body.to_owned()))).unwrap()
    };
    vec![
        request("GET", "/leads", ""),
        request("GET", "/leads?client_id=c1", ""),
        request("POST", "/leads", lead),
        request("GET", "/leads/l1", ""),
        request("PATCH", "/leads/l1", r#"{"name":"Bo"}"#),
        request("DELETE", "/leads/l1", ""),
        request("GET", "/pipelines", ""),
        request("GET", "/clients", ""),
    ]
}

async fn all_are_500(service: &LeadService, token: &str) {
    let answers = requests(token).into_iter().map(|request| async {
        let Ok(response) = service.clone().oneshot(request).await;
        (response.status().as_u16(), response.into_body().collect().await.unwrap().to_bytes())
    });
    for (status, body) in futures_util::future::join_all(answers).await {
        assert_eq!((status, &body[..]), (500, &br#"{"error":"internal error"}"#[..]));
    }
}

/// A database failure must never be reported as 401, 403, 404 or an empty list, because each of these responses would
/// be a false statement about the data.
#[tokio::test]
async fn an_unreachable_or_frozen_database_is_500() {
    let Some(mut cluster) = Cluster::start(&["fsync=off"]) else { return };
    let store = open(&cluster.url(&cluster.create_database("away").await), 4).await;
    let secret = BearerToken::generate().unwrap();
    let token = TokenRecord::new(&secret, "t", Scopes::Both, "2026-01-01T00:00:00Z".parse().unwrap());
    store.insert(&business(), token).await.unwrap();
    let fresh = LeadService::builder(store.clone(), StoredTokens::new(store.clone(), SystemClock)).build().unwrap();
    // This service has cached the token, but still needs the store for the request itself.
    let cached = StoredTokens::new(store.clone(), SystemClock).cached();
    let cached = LeadService::builder(store.clone(), cached).build().unwrap();
    for request in requests(secret.expose()) {
        let Ok(response) = cached.clone().oneshot(request).await;
        assert_ne!(response.status(), 500);
    }
    cluster.kill();
    all_are_500(&cached, secret.expose()).await;
    all_are_500(&fresh, secret.expose()).await;
    cluster.restart();
    cluster.pause();
    all_are_500(&fresh, secret.expose()).await;
    cluster.resume();
    // Once the database is back, the service recovers without a restart.
    let answer = async || {
        let Ok(response) = fresh.clone().oneshot(requests(secret.expose()).remove(0)).await;
        response.status()
    };
    eventually("the service recovers", async || equals(answer().await, &StatusCode::OK)).await;
}

/// Opens a store whose commits wait for a standby that does not exist, until the returned client resets the setting.
async fn without_standby(cluster: &Cluster) -> (SqlStore, tokio_postgres::Client) {
    let url = cluster.url(&cluster.create_database("standby").await);
    let store = open(&url, 2).await;
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    lose_standby(&client).await;
    (store, client)
}

/// Makes commits wait for a standby that does not exist.
pub(crate) async fn lose_standby(client: &tokio_postgres::Client) {
    client.batch_execute("ALTER SYSTEM SET synchronous_standby_names = 'missing'").await.unwrap();
    client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    let names = async || client.query_one("SHOW synchronous_standby_names", &[]).await.unwrap().get::<_, String>(0);
    eventually("the setting takes effect", async || equals(names().await, "missing")).await;
}

/// With synchronous replication, a commit is safe only after the standby has received it. No timeout may cause an
/// earlier acknowledgement.
#[tokio::test]
async fn a_commit_that_waits_for_a_standby_is_not_acknowledged() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let (store, client) = without_standby(&cluster).await;
    let mut created = Box::pin(create(&store, "Ann", "key"));
    // This is longer than the timeout of any statement.
    let early = tokio::time::timeout(Duration::from_secs(7), &mut created).await;
    assert!(early.is_err(), "{early:?}");
    client.batch_execute("ALTER SYSTEM RESET synchronous_standby_names").await.unwrap();
    client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    created.await.unwrap();
    assert_eq!(all(&store).await.len(), 1);
}

/// No timeout of the database ends a commit that waits for a standby. The server must end it, so that the connection
/// does not stay in use.
#[tokio::test]
async fn an_administrative_change_does_not_wait_for_a_standby_without_a_limit() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let (store, _client) = without_standby(&cluster).await;
    let token = |name| {
        let secret = BearerToken::generate().unwrap();
        TokenRecord::new(&secret, name, Scopes::Both, "2026-01-01T00:00:00Z".parse().unwrap())
    };
    let (business, other) = (business(), "b2".parse().unwrap());
    let changes = async { tokio::join!(store.insert(&business, token("a")), store.insert(&business, token("b"))) };
    let (first, _) = tokio::time::timeout(Duration::from_secs(40), changes).await.expect("the changes end");
    assert!(matches!(first, Err(StoreError::UnknownOutcome(_))), "{first:?}");
    assert!(store.list(&other).await.is_ok());
}
