//! The command-line options for a rate limiter on Redis.

#[cfg(feature = "redis")]
use std::num::NonZeroU32;

use clap::Args;
#[cfg(feature = "redis")]
use clap::ValueEnum;
use leadapi_core::{memory::Limits, port::RateLimiter};
#[cfg(feature = "redis")]
pub(crate) use leadapi_redis::RedisUrl as LimiterUrl;
#[cfg(feature = "redis")]
use leadapi_redis::{LimiterFailure, RedisLimiter};

use super::super::{CommandError, store::sensitive};
#[cfg(feature = "redis")]
use crate::value::{positive, time};
use leadapi_operator::Probes;

/// The limiter URL in a build without the `redis` feature. The type has no values, because every URL is refused.
#[cfg(not(feature = "redis"))]
#[derive(Debug, Clone)]
pub(crate) enum LimiterUrl {}

#[cfg(not(feature = "redis"))]
impl std::str::FromStr for LimiterUrl {
    type Err = &'static str;

    fn from_str(_: &str) -> Result<Self, &'static str> {
        Err("cannot be used, because this binary was built without the `redis` feature")
    }
}

#[cfg(not(feature = "redis"))]
impl std::fmt::Display for LimiterUrl {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

#[derive(Debug, Args)]
pub(super) struct LimiterOptions {
    /// The Redis or Valkey server that counts the requests of all servers: `redis://USER:PASSWORD@HOST:PORT/DATABASE`.
    ///
    /// By default, servers that share a PostgreSQL store count requests together, and any other server counts its own.
    /// This option works with any store and needs a binary with the `redis` feature. `rediss://` uses TLS.
    /// `redis+sentinel://HOST:PORT,HOST:PORT/SERVICE/DATABASE` finds the server through Sentinels. If the URL contains
    /// a password, pass it in `LEADAPI_LIMITER`.
    #[arg(
        long,
        env = "LEADAPI_LIMITER",
        hide_env_values = true,
        value_name = "URL",
        value_parser = sensitive::<LimiterUrl>()
    )]
    limiter: Option<LimiterUrl>,
    /// Maximum time that a request waits for Redis.
    #[cfg(feature = "redis")]
    #[arg(long, env = "LEADAPI_LIMITER_TIMEOUT", value_name = "TIME", value_parser = time, default_value = "50ms")]
    limiter_timeout: humantime::Duration,
    /// How to treat requests while Redis does not respond.
    #[cfg(feature = "redis")]
    #[arg(long, env = "LEADAPI_LIMITER_FAILURE", value_name = "POLICY", default_value = "closed")]
    limiter_failure: Policy,
    /// The highest number of servers that run at the same time, for --limiter-failure local.
    #[cfg(feature = "redis")]
    #[arg(long, env = "LEADAPI_LIMITER_SERVERS", value_name = "N", value_parser = positive::<NonZeroU32>)]
    limiter_servers: Option<NonZeroU32>,
}

#[cfg(feature = "redis")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// Respond with 500, so that no token exceeds its limit.
    Closed,
    /// Let each server admit its share of the limit, without coordination. In the 60 seconds around a failure, a token
    /// may get up to twice its limit.
    Local,
}

/// A limiter and its readiness check.
pub(super) struct OpenLimiter {
    pub(super) limiter: Box<dyn RateLimiter>,
    pub(super) probes: Probes,
}

impl OpenLimiter {
    /// Wraps a limiter that needs no readiness check besides the store's.
    pub(super) fn new(limiter: impl RateLimiter + 'static) -> Self {
        Self { limiter: Box::new(limiter), probes: Probes::default() }
    }
}

impl LimiterOptions {
    /// Returns the failure policy. Fails if the settings are inconsistent.
    #[cfg(feature = "redis")]
    pub(super) const fn failure(&self) -> Result<LimiterFailure, CommandError> {
        match (self.limiter_failure, self.limiter_servers) {
            (Policy::Closed, _) => Ok(LimiterFailure::Closed),
            (Policy::Local, Some(servers)) => Ok(LimiterFailure::Local { servers }),
            // clap cannot check this, because its rules for combinations of options ignore the values from a settings
            // file.
            (Policy::Local, None) => Err(CommandError::LimiterServers),
        }
    }

    /// Starts the limiter, or returns `None` if none is configured.
    #[cfg(feature = "redis")]
    pub(super) async fn start(self, limits: Limits) -> Result<Option<OpenLimiter>, CommandError> {
        let failure = self.failure()?;
        let Some(url) = self.limiter else { return Ok(None) };
        let location = url.to_string();
        let builder = RedisLimiter::builder(url, limits).timeout(self.limiter_timeout.into()).failure(failure);
        let limiter = builder.start().await.map_err(|source| CommandError::Limiter { url: location, source })?;
        let checked = limiter.clone();
        let probes = Probes::default().limiter(move || {
            let limiter = checked.clone();
            async move { Ok(limiter.health().await?) }
        });
        Ok(Some(OpenLimiter { limiter: Box::new(limiter), probes }))
    }

    /// Returns `None`, because no URL is valid without the `redis` feature.
    #[cfg(not(feature = "redis"))]
    #[expect(clippy::unused_async, reason = "the same signature in every build")]
    pub(super) async fn start(self, _: Limits) -> Result<Option<OpenLimiter>, CommandError> {
        Ok(self.limiter.map(|url| match url {}))
    }
}
