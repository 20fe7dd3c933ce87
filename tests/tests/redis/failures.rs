//! Tests of requests while Redis is frozen or down, and after it has recovered.
use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};

use leadapi_core::port::Admission;
use leadapi_redis::{LimiterFailure, RedisLimiter, RedisLimiterError};
use leadapi_tests::{Lateness, equals, eventually, redis::Redis};

use crate::fixture::{admitted, builder, limiter, limits, read};

/// Sends requests until one is admitted.
pub(crate) async fn recovery(limiter: &RedisLimiter, token: &str) {
    eventually("the limiter recovers", async || equals(read(limiter, token).await.ok(), &Some(Admission::Admitted)))
        .await;
}

/// Waits until the limiter has detected that Redis has failed.
pub(crate) async fn failure(limiter: &RedisLimiter) {
    eventually("the limiter notices the failure", async || limiter.health().await.is_err()).await;
    assert!(read(limiter, "t").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_fail_within_the_timeout_while_redis_is_frozen() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limiter = RedisLimiter::builder(redis.url().parse().unwrap(), limits(1_000, 1)).start().await.unwrap();
    recovery(&limiter, "t").await;
    let counted = || redis.command("LLEN leadapi:rate:{t}:read").parse::<u32>().unwrap();
    let before = counted();
    redis.pause();
    let frozen = Instant::now();
    while frozen.elapsed() < Duration::from_secs(3) {
        let (sent, lateness) = (Instant::now(), Lateness::measure());
        assert!(read(&limiter, "t").await.is_err());
        // The timeout is 50 ms. The rest is a tolerance for a machine that is busy with other tests.
        let (took, longest) = (sent.elapsed(), Duration::from_millis(550) + lateness.tolerance());
        assert!(took < longest, "{took:?} instead of {longest:?}");
    }
    assert!(limiter.health().await.is_err());
    redis.resume();
    // Redis received only the first requests after the freeze. The limiter did not send the others.
    eventually("Redis counts the first request", async || counted() > before).await;
    let counted = counted() - before;
    assert!(counted <= 6, "{counted} requests were counted");
    recovery(&limiter, "t").await;
    eventually("the limiter is healthy", async || limiter.health().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_fail_while_redis_is_down_and_are_counted_after_it_recovers() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let limiter = limiter(&redis, limits(5, 1)).await;
    for _ in 0..2 {
        redis.kill();
        failure(&limiter).await;
        redis.restart();
        recovery(&limiter, "t").await;
        assert_eq!(admitted(&limiter, "t", 10).await, 4, "the limit must count the request that was admitted first");
    }
}

/// Without Redis, all servers together admit at most as many requests as the limit allows, in addition to those that
/// Redis had admitted.
#[tokio::test(flavor = "multi_thread")]
async fn with_local_failure_each_server_admits_its_share_while_redis_is_dead() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let servers = NonZeroU32::new(3).unwrap();
    let builder = builder(&redis.url(), limits(20, 6)).failure(LimiterFailure::Local { servers });
    let limiters = [builder.clone().start().await.unwrap(), builder.clone().start().await.unwrap()];
    let [one, two] = &limiters;
    assert_eq!(admitted(one, "t", 30).await + admitted(two, "t", 30).await, 20);
    redis.kill();
    one.health().await.unwrap();
    assert_eq!(admitted(one, "t", 30).await, 6);
    assert_eq!(admitted(two, "t", 30).await, 6);
    redis.restart();
    for limiter in &limiters {
        eventually("the limiter recovers", async || {
            read(limiter, "u").await.unwrap();
            equals(redis.command("EXISTS leadapi:rate:{u}:read"), "1")
        })
        .await;
        redis.command("DEL leadapi:rate:{u}:read");
    }
    assert_eq!(admitted(one, "v", 30).await + admitted(two, "v", 30).await, 20, "Redis must count for both limiters");
    // The servers' own windows still contain the admissions from the first failure.
    redis.kill();
    assert_eq!(admitted(one, "t", 30).await, 0);
}

#[tokio::test]
async fn a_limiter_that_fails_closed_starts_only_if_redis_accepts_writes() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let builder = builder(&redis.url(), limits(20, 6));
    // Turns Redis into a read-only replica.
    redis.command("REPLICAOF 127.0.0.1 1");
    let error = builder.clone().start().await.unwrap_err();
    assert!(error.to_string().contains("read only"), "{error}");
    redis.kill();
    assert!(matches!(builder.clone().start().await, Err(RedisLimiterError::Failed(_))));
    let servers = NonZeroU32::new(2).unwrap();
    let limiter = builder.failure(LimiterFailure::Local { servers }).start().await.unwrap();
    assert_eq!(admitted(&limiter, "t", 30).await, 10);
}

/// The token's list is full, so the script would only read, and a replica allows reads. The connection check still
/// detects the replica.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_became_a_replica_admits_and_refuses_nothing() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limiter = limiter(&redis, limits(2, 1)).await;
    assert_eq!(admitted(&limiter, "t", 5).await, 2);
    redis.command("REPLICAOF 127.0.0.1 1");
    failure(&limiter).await;
    redis.command("REPLICAOF NO ONE");
    recovery(&limiter, "u").await;
}
