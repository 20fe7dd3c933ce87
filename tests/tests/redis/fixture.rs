//! Limiters, and helpers that send requests to them.

use std::{num::NonZeroU32, time::Duration};

use leadapi_core::{
    BoxError,
    id::TokenId,
    port::{Admission, Class, RateLimiter},
    rate_limit::Limits,
};
use leadapi_redis::{RedisLimiter, RedisLimiterBuilder};
use leadapi_tests::redis::Redis;

pub(crate) fn limits(reads: u32, writes: u32) -> Limits {
    Limits::new(NonZeroU32::new(reads).unwrap(), NonZeroU32::new(writes).unwrap())
}

/// Returns the settings of a limiter with a long timeout, because the machine may be busy with other tests.
pub(crate) fn builder(url: &str, limits: Limits) -> RedisLimiterBuilder {
    RedisLimiter::builder(url.parse().unwrap(), limits).timeout(Duration::from_secs(5))
}

pub(crate) async fn limiter(redis: &Redis, limits: Limits) -> RedisLimiter {
    builder(&redis.url(), limits).start().await.unwrap()
}

pub(crate) async fn read(limiter: &impl RateLimiter, token: &str) -> Result<Admission, BoxError> {
    limiter.admit(&TokenId::parse(token).unwrap(), Class::Read).await
}

/// Sends requests, and returns how many were admitted.
pub(crate) async fn admitted(limiter: &impl RateLimiter, token: &str, requests: u32) -> u32 {
    let mut admitted = 0;
    for _ in 0..requests {
        admitted += u32::from(read(limiter, token).await.unwrap() == Admission::Admitted);
    }
    admitted
}
