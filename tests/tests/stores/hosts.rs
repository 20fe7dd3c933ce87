//! Tests of PostgreSQL URLs with several hosts, some of which are silent, frozen or read-only.

use std::time::Duration;

use futures_util::FutureExt;
use leadapi_core::rate_limit::Limits;
use leadapi_sql::{DatabaseUrl, SqlStore};
use leadapi_tests::{eventually, postgres::Cluster};
use tokio::{net::TcpListener, time::Instant};

use crate::fixture::{create, open};

/// Returns the URL of a new database in a cluster. The URL lists other hosts before the cluster's own.
async fn after(cluster: &Cluster, others: &str, parameters: &str) -> String {
    let database = cluster.create_database("hosts").await;
    let hosts = format!("{others},{}", cluster.address());
    format!("{}{parameters}", cluster.url_at(hosts, &database))
}

pub(crate) async fn opened(url: &str) -> Result<SqlStore, String> {
    SqlStore::open(&url.parse::<DatabaseUrl>().unwrap()).await.map_err(|error| error.to_string())
}

/// Returns a host that accepts connections but never sends anything.
async fn silent() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

#[tokio::test]
async fn a_silent_host_delays_only_the_first_connection() {
    let Some(cluster) = Cluster::shared() else { return };
    let silent = silent().await;
    let url = after(cluster, &silent.local_addr().unwrap().to_string(), "").await;
    let store = open(&url, 4).await;
    let mut creates = Vec::new();
    for nth in 0..4 {
        let key = format!("key-{nth}");
        let store = store.clone();
        creates.push(tokio::spawn(async move { create(&store, "Ann", &key).await.map(drop) }));
    }
    for created in creates {
        created.await.unwrap().unwrap();
    }
    // The store tries the silent host once. Later connections start with the host that responded.
    silent.accept().await.unwrap();
    assert!(silent.accept().now_or_never().is_none());
}

#[tokio::test]
async fn a_frozen_host_is_replaced_by_the_next_one() {
    let Some(mut first) = Cluster::start(&[]) else { return };
    let Some(second) = Cluster::start(&[]) else { return };
    let database = first.create_database("freezes").await;
    open(&first.url(&database), 2).await;
    // The second cluster has a database with the same name, as a promoted standby would.
    second.create_database_named(&database).await;
    let url = first.url_at(format!("{},{}", first.address(), second.address()), &database);
    let store = open(&url, 2).await;
    open(&second.url(&database), 2).await;
    create(&store, "before", "before").await.unwrap();
    first.pause();
    // The pool contains connections to the frozen host until the store has given up on each of them.
    eventually("the store uses the second host", async || create(&store, "after", "after").await).await;
    first.resume();
    let leads = crate::fixture::all(&open(&second.url(&database), 2).await).await;
    assert_eq!(leads.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), ["after"]);
}

#[tokio::test(start_paused = true)]
async fn connecting_to_silent_hosts_fails_in_time() {
    let (one, two) = (silent().await, silent().await);
    let url = format!("postgres://u@{},{}/d", one.local_addr().unwrap(), two.local_addr().unwrap());
    let begun = Instant::now();
    let error = opened(&url).await.unwrap_err();
    assert!(error.contains("no host responded within 1.5s"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_standby_is_skipped_unless_any_host_is_accepted() {
    let Some(mut standby) = Cluster::start(&[]) else { return };
    let Some(primary) = Cluster::start(&[]) else { return };
    let database = standby.create_database("attrs").await;
    primary.create_database_named(&database).await;
    for cluster in [&standby, &primary] {
        open(&cluster.url(&database), 2).await;
    }
    standby.restart_as_standby();
    let both = primary.url_at(format!("{},{}", standby.address(), primary.address()), &database);
    let with =
        |attrs: &str| format!("{both}{}target_session_attrs={attrs}", if both.contains('?') { '&' } else { '?' });
    for url in [both.clone(), with("read-write"), with("primary")] {
        let store = opened(&url).await.unwrap();
        create(&store, "Ann", &url.len().to_string()).await.unwrap();
    }
    let store = opened(&with("any")).await.unwrap();
    assert!(create(&store, "Ann", "any").await.is_err(), "the first host is a standby, so the create must fail");
    let replica = standby.url(&database);
    let store = opened(&replica).await.unwrap();
    let error = store.rate_limiter(Limits::default()).await.err().unwrap().to_string();
    assert!(error.contains("no host in the URL accepts writes"), "{error}");
    for attrs in ["standby", "prefer-standby", "read-only"] {
        let error = opened(&with(attrs)).await.unwrap_err();
        assert!(error.contains("selects servers that do not accept writes"), "{attrs}: {error}");
    }
}
