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
#[expect(
    clippy::expect_used,
    reason = "the URL and the token are the testkit's own, and without TLS there is no client"
)]
pub(crate) fn client(
    url: &str,
    token: impl Into<Credential>,
    skipped: impl Fn(Duration) + Send + Sync + 'static,
) -> Client {
    let transport = transport().expect("TLS of the system");
    skip_waits(Client::builder(url, token), skipped).transport(transport).expect("a valid URL and token")
}

/// Turns off rate limiting and makes waits end immediately.
pub(crate) fn skip_waits(builder: ClientBuilder, skipped: impl Fn(Duration) + Send + Sync + 'static) -> ClientBuilder {
    let waits = Arc::new(WaitSkippingTimer {
        system: SystemTimer::default(),
        state: Mutex::default(),
        skipped: Box::new(skipped),
    });
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
struct WaitSkippingTimer {
    system: SystemTimer,
    state: Mutex<State>,
    skipped: Box<dyn Fn(Duration) + Send + Sync>,
}

#[derive(Debug, Default)]
struct State {
    /// The client announces a wait right before it sleeps.
    expected: Vec<Duration>,
    skipped: Duration,
}

impl WaitSkippingTimer {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn skip(&self, duration: Duration) -> bool {
        let mut state = self.lock();
        let Some(at) = state.expected.iter().position(|expected| *expected == duration) else { return false };
        state.expected.swap_remove(at);
        state.skipped += duration;
        true
    }
}

#[async_trait]
impl Timer for WaitSkippingTimer {
    fn now(&self) -> Duration {
        self.system.now() + self.lock().skipped
    }

    async fn sleep(&self, duration: Duration) {
        if self.skip(duration) {
            (self.skipped)(duration);
        } else {
            self.system.sleep(duration).await;
        }
    }
}
