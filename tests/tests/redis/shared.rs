//! Tests of limiters that share one Redis server.

use leadapi_core::memory::Limits;
use leadapi_tests::redis::Redis;

use crate::fixture::{admitted, builder, limiter, limits};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_limiters_pass_the_conformance_suite() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limits = Limits::default();
    let limiters = [limiter(&redis, limits).await, limiter(&redis, limits).await, limiter(&redis, limits).await];
    leadapi_conformance::run_shared_limiter(limits, &limiters).await.unwrap();
}

/// Redis forgets scripts when it restarts, fails over, or executes SCRIPT FLUSH.
#[tokio::test]
async fn a_forgotten_script_is_loaded_again() {
    let Some(redis) = Redis::start(&[]) else { return };
    let limiter = limiter(&redis, limits(3, 1)).await;
    assert_eq!(admitted(&limiter, "t", 2).await, 2);
    assert_eq!(redis.command("SCRIPT FLUSH"), "OK");
    assert_eq!(admitted(&limiter, "t", 5).await, 1);
}

/// Separate databases on one Redis server keep installations apart, even if their tokens have equal ids.
#[tokio::test]
async fn each_database_counts_separately() {
    let Some(redis) = Redis::start(&[]) else { return };
    for database in 0..2 {
        let url = format!("{}/{database}", redis.url());
        assert_eq!(admitted(&builder(&url, limits(3, 1)).start().await.unwrap(), "t", 5).await, 3);
    }
}
