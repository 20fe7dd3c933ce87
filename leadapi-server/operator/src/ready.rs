//! The readiness check, which passes if the server is not shutting down, its store answers reads and accepts writes,
//! and its rate limiter can handle requests.

use std::{error::Error, fmt, pin::Pin, time::Duration};

use leadapi_core::{BoxError, error_chain};
use leadapi_server::Host;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use tracing::warn;

/// The time limit for all probes of one check together.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long a result is cached, so that frequent requests do not overload the store.
const CACHE_TIME: Duration = Duration::from_secs(1);

/// The checks that a server must pass to be ready. By default, they all succeed.
///
/// ```
/// let probes = leadapi_operator::Probes::default().reads(|| async { Ok(std::fs::metadata("/").map(drop)?) });
/// ```
#[must_use = "the probes have an effect on an `Operator`"]
pub struct Probes {
    reads: Probe,
    writes: Probe,
    limiter: Probe,
}

type Probe = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send>> + Send + Sync>;

impl Default for Probes {
    fn default() -> Self {
        let always = || boxed(|| async { Ok(()) });
        Self { reads: always(), writes: always(), limiter: always() }
    }
}

impl Probes {
    /// Sets the check that reads from the store.
    pub fn reads<F>(self, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self { reads: boxed(probe), ..self }
    }

    /// Sets the check that performs a no-op write in the store.
    pub fn writes<F>(self, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self { writes: boxed(probe), ..self }
    }

    /// Sets the check that the rate limiter can handle requests.
    pub fn limiter<F>(self, probe: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self { limiter: boxed(probe), ..self }
    }
}

impl fmt::Debug for Probes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probes").finish_non_exhaustive()
    }
}

fn boxed<F>(probe: impl Fn() -> F + Send + Sync + 'static) -> Probe
where
    F: Future<Output = Result<(), BoxError>> + Send + 'static,
{
    Box::new(move || Box::pin(probe()))
}

pub(super) struct Readiness {
    probes: Probes,
    host: Host,
    /// The cached result. It stays locked during a check, so that concurrent requests share one check.
    last: Mutex<Option<(Instant, Result<(), NotReady>)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotReady {
    #[error("shutting down")]
    Stopping,
    #[error("the store fails")]
    Failing,
    #[error("the store rejects writes")]
    NotWritable,
    #[error("the rate limiter fails")]
    NoLimiter,
    #[error("the checks did not finish within {TIMEOUT:?}")]
    TimedOut,
}

impl Readiness {
    pub(super) fn new(probes: Probes, host: Host) -> Self {
        Self { probes, host, last: Mutex::default() }
    }

    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if !self.host.is_running() {
            return Err(NotReady::Stopping);
        }
        let mut last = self.last.lock().await;
        if let Some((at, outcome)) = *last
            && at.elapsed() < CACHE_TIME
        {
            return outcome;
        }
        let outcome = timeout(TIMEOUT, self.probe()).await.unwrap_or(Err(NotReady::TimedOut));
        *last = Some((Instant::now(), outcome));
        outcome
    }

    async fn probe(&self) -> Result<(), NotReady> {
        (self.probes.reads)().await.map_err(|error| log_not_ready(NotReady::Failing, &*error))?;
        (self.probes.writes)().await.map_err(|error| log_not_ready(NotReady::NotWritable, &*error))?;
        (self.probes.limiter)().await.map_err(|error| log_not_ready(NotReady::NoLimiter, &*error))
    }
}

fn log_not_ready(reason: NotReady, error: &(dyn Error + 'static)) -> NotReady {
    warn!(error = %error_chain(error), "not ready: {reason}");
    reason
}
