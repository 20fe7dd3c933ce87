//! The client of a test: as in production, except that its waits take no time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;

use crate::{
    Client, ClientBuilder, ConfigError, Credential, Pacing,
    timer::{SystemTimer, Timer},
    transport::Reqwest,
};

/// Creates a client of one of the testkit's servers, with the default retry policy and no rate limiting. Its waits
/// end immediately, and `skipped` receives the duration of each.
#[expect(clippy::expect_used, reason = "the URL and the token are the kit's own; without TLS no client can be made")]
pub(crate) fn client(
    url: &str,
    token: impl Into<Credential>,
    skipped: impl Fn(Duration) + Send + Sync + 'static,
) -> Client {
    let transport = transport().expect("TLS of the system");
    unhurried(Client::builder(url, token), skipped).transport(transport).expect("a URL and a token that are good")
}

/// Turns off rate limiting and makes waits end immediately.
pub(crate) fn unhurried(builder: ClientBuilder, skipped: impl Fn(Duration) + Send + Sync + 'static) -> ClientBuilder {
    let waits = Arc::new(Waits { system: SystemTimer::default(), told: Mutex::default(), skipped: Box::new(skipped) });
    let hook = waits.clone();
    let builder = builder.pacing(Pacing::off()).timer(waits);
    builder.on_wait(move |wait| hook.lock().expected.push(wait.duration))
}

/// A transport to local servers only: it ignores the proxies of the environment and does not load the system's
/// certificates, which takes longer than most tests.
pub(crate) fn transport() -> Result<Reqwest, ConfigError> {
    Reqwest::from_builder(reqwest::Client::builder().no_proxy().tls_certs_only([]))
}

/// The system's clock, except for the waits that the client announces: they end immediately, and the clock advances
/// as if they had elapsed. The timeout of an attempt is not announced, so it takes real time.
struct Waits {
    system: SystemTimer,
    told: Mutex<Told>,
    skipped: Box<dyn Fn(Duration) + Send + Sync>,
}

#[derive(Debug, Default)]
struct Told {
    /// The client announces a wait right before it sleeps.
    expected: Vec<Duration>,
    over: Duration,
}

impl Waits {
    fn lock(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn skip(&self, duration: Duration) -> bool {
        let mut told = self.lock();
        let Some(at) = told.expected.iter().position(|expected| *expected == duration) else { return false };
        told.expected.swap_remove(at);
        told.over += duration;
        true
    }
}

#[async_trait]
impl Timer for Waits {
    fn now(&self) -> Duration {
        self.system.now() + self.lock().over
    }

    async fn sleep(&self, duration: Duration) {
        if self.skip(duration) {
            (self.skipped)(duration);
        } else {
            self.system.sleep(duration).await;
        }
    }
}
