//! Tests that three servers apply one rate limit, even while one of them is killed and restarted (contract D9).

use std::time::{Duration, Instant};

use leadapi_tests::{postgres::Cluster, redis::Redis};
use tokio::time::sleep_until;

use crate::calls::{LIMIT, Load, WINDOW};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_on_postgres_admit_one_limit_while_one_is_killed() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = cluster.url(&cluster.create_database("rate_limit").await);
    let settings = ["--store", &store];
    let mut load = Load::start(&settings);
    load.wait_for(LIMIT).await;
    load.replace_a_server();
    // The killed server's share stays unavailable until its lease has expired and the window has passed. After that,
    // the whole limit is available again.
    let share_returned = Instant::now() + Duration::from_secs(75);
    sleep_until(share_returned.into()).await;
    load.wait_for_window(LIMIT * 9 / 10, share_returned).await;
    load.stop().await;
}

/// The servers share no store, but their stores contain the same token.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_on_redis_admit_one_limit_while_one_is_killed() {
    let Some(redis) = Redis::start(&[]) else { return };
    let url = redis.url();
    // The timeout is long, because 64 callers keep the machine busy.
    let settings = ["--limiter", &url, "--limiter-timeout", "1m"];
    let mut load = Load::start(&settings);
    let first = load.wait_for(LIMIT).await;
    load.replace_a_server();
    // A killed server does not reduce the limit. The whole limit is available again after one window.
    let second = load.wait_for(2 * LIMIT).await;
    assert!(second < WINDOW + (3 * first).max(Duration::from_secs(45)), "{first:?}, then {second:?}");
    load.stop().await;
}
