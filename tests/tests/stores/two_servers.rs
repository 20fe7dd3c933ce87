//! Tests of two servers that share one database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use futures_util::{StreamExt, stream};
use leadapi_core::{
    id::{LeadId, TokenId},
    model::Timestamp,
    port::{Admission, Class, Clock, Created, RateLimiter, Store},
    rate_limit::Limits,
};
use leadapi_sql::SqlStore;
use leadapi_tests::{eventually, postgres::Cluster};

use crate::fixture::{all, business, connect, create, id, open};

const KEYS: usize = 10_000;
const DUPLICATES: usize = 8;
const CONCURRENCY: usize = 512;

async fn two_servers(cluster: &Cluster) -> [SqlStore; 2] {
    let url = cluster.url(&cluster.create_database("twins").await);
    [open(&url, 4).await, open(&url, 4).await]
}

#[tokio::test]
async fn one_server_reads_what_the_other_has_written() {
    let Some(cluster) = Cluster::shared() else { return };
    let servers = two_servers(cluster).await;
    for nth in 0..20 {
        let (one, other) = (&servers[nth % 2], &servers[(nth + 1) % 2]);
        let lead = id(create(one, "n", &nth.to_string()).await.unwrap());
        assert!(other.get(&business(), &lead).await.unwrap().is_some());
        assert_eq!(all(other).await.len(), nth + 1);
    }
}

#[tokio::test]
async fn their_rate_limiters_pass_the_conformance_suite() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut limiters = Vec::new();
    for server in two_servers(cluster).await {
        limiters.push(server.rate_limiter(Limits::default()).await.unwrap());
    }
    leadapi_conformance::run_shared_limiter(Limits::default(), &limiters).await.unwrap();
}

/// A server that returns the last permits of a token deletes the row of the limit, for which another server may wait.
#[tokio::test]
async fn a_claim_survives_the_deletion_of_its_ledger() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("ledger").await);
    let store = open(&url, 4).await;
    let limiter = store.rate_limiter(Limits::default()).await.unwrap();
    let (other, observer) = (connect(&url).await, connect(&url).await);
    other.batch_execute("INSERT INTO rate_limit VALUES ('t1', 'read', '{}', 0)").await.unwrap();
    other.batch_execute("BEGIN; SELECT * FROM rate_limit FOR UPDATE").await.unwrap();
    let token = TokenId::parse("t1").unwrap();
    let admission = tokio::spawn(async move { limiter.admit(&token, Class::Read).await });
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let is_waiting = async || observer.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 1;
    eventually("the claim waits", is_waiting).await;
    other.batch_execute("DELETE FROM rate_limit; COMMIT").await.unwrap();
    assert_eq!(admission.await.unwrap().unwrap(), Admission::Admitted);
    let difference = store.clock().now().unix_millis() - Timestamp::now().unix_millis();
    assert!(difference.abs() < 60_000, "the clock is wrong by {difference} ms");
    let shares: String = observer.query_one("SELECT shares FROM rate_limit", &[]).await.unwrap().get(0);
    assert_ne!(shares, "{}", "the permits of the claim were not recorded");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_with_one_key_on_two_servers_make_one_lead() {
    let Some(cluster) = Cluster::shared() else { return };
    let servers = two_servers(cluster).await;
    let leads: Arc<Mutex<HashMap<usize, (LeadId, usize)>>> = Arc::default();
    // Creates with the same key arrive close together and through both servers, but the keys are not in order.
    let calls = (0..KEYS * DUPLICATES).map(|nth| (nth / (DUPLICATES * 16) * 16 + nth % 16, nth % 2));
    stream::iter(calls)
        .for_each_concurrent(CONCURRENCY, |(key, server)| {
            let (store, leads) = (servers[server].clone(), leads.clone());
            async move {
                let created = create(&store, "twin", &format!("key {key}").replace(' ', "-")).await.unwrap();
                let is_fresh = matches!(created, Created::New(_));
                let id = id(created);
                let mut leads = leads.lock().unwrap();
                let (known, fresh) = leads.entry(key).or_insert_with(|| (id.clone(), 0));
                assert_eq!(*known, id, "creates with the same key must return the same lead");
                *fresh += usize::from(is_fresh);
            }
        })
        .await;
    let leads = std::mem::take(&mut *leads.lock().unwrap());
    assert_eq!(leads.len(), KEYS);
    assert!(leads.values().all(|(_, fresh)| *fresh == 1), "exactly one request must have created the lead");
    assert_eq!(all(&servers[0]).await.len(), KEYS);
}
