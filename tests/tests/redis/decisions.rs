//! Tests of the limiter's decisions under a clock that the test sets. The script and Redis are real; only the operating
//! system's clock is simulated.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::ManualClock,
    port::{Admission, Class, RateLimiter},
};
use leadapi_redis::RedisLimiter;
use leadapi_tests::{equals, redis::Redis, wait_until};

use crate::fixture::{admitted, limiter, limits, read};

const SECOND: Duration = Duration::from_secs(1);

/// A limiter whose Redis server follows a simulated clock.
struct Timed<'r> {
    limiter: RedisLimiter,
    redis: &'r Redis,
    clock: Arc<ManualClock>,
}

#[async_trait]
impl RateLimiter for Timed<'_> {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        self.redis.clock().set(self.clock.elapsed());
        self.limiter.admit(token, class).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limiter_passes_the_conformance_suite() {
    let Some(redis) = Redis::start_with_clock() else { return };
    let limits = limits(20, 7);
    let make = async |clock| {
        redis.command("FLUSHALL");
        Ok(Timed { limiter: limiter(&redis, limits).await, redis: &redis, clock })
    };
    leadapi_conformance::run_limiter(limits, make).await.unwrap();
}

/// While the clock is behind the newest admission, the window does not move. The key expires 61 s after the last
/// admission, however far the clock has stepped back.
#[tokio::test(flavor = "multi_thread")]
async fn a_backward_step_of_the_clock_admits_no_additional_request() {
    let Some(redis) = Redis::start_with_clock() else { return };
    let limiter = limiter(&redis, limits(3, 1)).await;
    let refused = |retry_after| Admission::Refused { retry_after };
    redis.clock().set(1_000 * SECOND);
    assert_eq!(admitted(&limiter, "t", 1).await, 1);
    redis.clock().set(970 * SECOND);
    assert_eq!(admitted(&limiter, "t", 5).await, 2);
    assert_eq!(read(&limiter, "t").await.unwrap(), refused(60 * SECOND));
    redis.clock().set(1_010 * SECOND);
    assert_eq!(read(&limiter, "t").await.unwrap(), refused(50 * SECOND));
    redis.clock().set(1_030 * SECOND);
    assert_eq!(read(&limiter, "t").await.unwrap(), refused(30 * SECOND));
    redis.clock().set(1_032 * SECOND);
    assert_eq!(admitted(&limiter, "t", 5).await, 3);
}

/// While servers are restarted with new settings, their limits can differ.
#[tokio::test(flavor = "multi_thread")]
async fn each_limit_holds_while_servers_have_different_limits() {
    let Some(redis) = Redis::start_with_clock() else { return };
    let (low, high) = (limiter(&redis, limits(2, 1)).await, limiter(&redis, limits(5, 1)).await);
    redis.clock().set(SECOND);
    assert_eq!(admitted(&high, "t", 3).await, 3);
    assert_eq!(admitted(&low, "t", 3).await, 0);
    redis.clock().set(2 * SECOND);
    assert_eq!(admitted(&high, "t", 3).await, 2);
    // At 61 s, the window contains only the two admissions from 2 s. They use up the low limit, but leave three of the
    // high one.
    redis.clock().set(61 * SECOND);
    assert_eq!(admitted(&low, "t", 3).await, 0);
    assert_eq!(admitted(&high, "t", 5).await, 3);
    redis.clock().set(121 * SECOND);
    assert_eq!(admitted(&low, "t", 3).await, 2);
    assert_eq!(admitted(&high, "t", 5).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_never_longer_than_the_limit_and_expires() {
    let Some(redis) = Redis::start_with_clock() else { return };
    let limiter = limiter(&redis, limits(3, 1)).await;
    for nth in 0..9 {
        redis.clock().set(nth * 30 * SECOND);
        admitted(&limiter, "t", 3).await;
        assert!(redis.command("LLEN leadapi:rate:{t}:read").parse::<u32>().unwrap() <= 3);
    }
    let lifetime: u64 = redis.command("PTTL leadapi:rate:{t}:read").parse().unwrap();
    assert!((60_000..=61_000).contains(&lifetime), "{lifetime} ms");
    // The connection check also leaves a key behind, and renews its expiry on each run.
    redis.clock().set(1_000 * SECOND);
    wait_until("the key expires", || equals(redis.command("EXISTS leadapi:rate:{t}:read"), "0"));
}
