//! The command-line options for a rate limiter on Redis.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};
use leadapi_core::rate_limit::Limits;
pub(crate) use leadapi_redis::RedisUrl as LimiterUrl;
use leadapi_redis::{LimiterFailure, RedisLimiter};

use super::{
    super::{CommandError, store::sensitive},
    OpenLimiter,
};
use crate::value::{positive, time};
use leadapi_operator::Probes;

#[derive(Debug, Args)]
pub(super) struct LimiterOptions {
    /// The Redis or Valkey server that counts the requests of all servers: `redis://USER:PASSWORD@HOST:PORT/DATABASE`.
    ///
    /// By default, servers that share a PostgreSQL store count requests together, and any other server counts its own.
    /// This option works with any store. `rediss://` uses TLS.
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
    #[arg(long, env = "LEADAPI_LIMITER_TIMEOUT", value_name = "TIME", value_parser = time, default_value = "50ms")]
    limiter_timeout: humantime::Duration,
    /// How to treat requests while Redis does not respond.
    #[arg(long, env = "LEADAPI_LIMITER_FAILURE", value_name = "POLICY", default_value = "closed")]
    limiter_failure: Policy,
    /// The highest number of servers that run at the same time, for --limiter-failure local.
    #[arg(long, env = "LEADAPI_LIMITER_SERVERS", value_name = "N", value_parser = positive::<NonZeroU32>)]
    limiter_servers: Option<NonZeroU32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// Respond with 500, so that no token exceeds its limit.
    Closed,
    /// Let each server admit its share of the limit, without coordination. In the 60 seconds around a failure, a token
    /// may get up to twice its limit.
    Local,
}

impl LimiterOptions {
    /// Returns the failure policy. Fails if the settings are inconsistent.
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
}
