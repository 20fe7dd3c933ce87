//! Tests of failovers by Redis Sentinel.

use leadapi_redis::RedisLimiterError;
use leadapi_tests::{equals, eventually, redis::Sentinels, wait_until};

use crate::{
    failures::{failure, recovery},
    fixture::{admitted, builder, limits, read},
};

#[tokio::test(flavor = "multi_thread")]
async fn the_new_master_is_found_after_a_failover() {
    let Some(mut cluster) = Sentinels::start() else { return };
    let limiter = builder(&cluster.url(), limits(20, 6)).start().await.unwrap();
    assert_eq!(admitted(&limiter, "t", 10).await, 10);
    wait_until("the replica has all admissions", || {
        equals(cluster.servers[1].command("LLEN leadapi:rate:{t}:read"), "10")
    });
    // A Sentinel that does not answer must not delay the limiter for long.
    cluster.pause_sentinel(0);
    cluster.servers[0].kill();
    failure(&limiter).await;
    wait_until("a failover", || equals(cluster.master(1), &cluster.servers[1].port()));
    recovery(&limiter, "u").await;
    assert!(admitted(&limiter, "t", 20).await <= 10, "the replica must know the admissions from before the failover");
}

/// The old master resumes after the failover, and the Sentinels turn it into a replica.
#[tokio::test(flavor = "multi_thread")]
async fn an_old_master_that_returns_is_not_used() {
    let Some(cluster) = Sentinels::start() else { return };
    let limiter = builder(&cluster.url(), limits(20, 6)).start().await.unwrap();
    cluster.servers[0].pause();
    failure(&limiter).await;
    wait_until("a failover", || equals(cluster.master(1), &cluster.servers[1].port()));
    cluster.servers[0].resume();
    recovery(&limiter, "u").await;
    wait_until("a demotion", || cluster.servers[0].command("INFO replication").contains("role:slave"));
    eventually("the new master counts a request", async || {
        drop(read(&limiter, "v").await);
        equals(cluster.servers[1].command("EXISTS leadapi:rate:{v}:read"), "1")
    })
    .await;
    assert!(admitted(&limiter, "v", 30).await < 20);
}

#[tokio::test]
async fn an_unknown_service_is_named_in_the_error() {
    let Some(cluster) = Sentinels::start() else { return };
    let url = cluster.url().replace("/main", "/other");
    let error = builder(&url, limits(20, 6)).start().await.unwrap_err();
    assert_eq!(error, RedisLimiterError::NoMaster("other".to_owned()));
}
