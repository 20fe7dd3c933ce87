//! The client for tests. It behaves as in production, except that it has no rate limiting, skips its waits, and ignores
//! proxies and the system's certificates.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;

use leadapi_client::{
    Client, ClientBuilder, ConfigError, Credential, Pacing,
    timer::{SystemTimer, Timer},
    transport::Reqwest,
};

/// Creates a client for a testkit server, with the default retry policy and no rate limiting. The client's waits end
/// immediately, and `skipped` receives the duration of each wait.
#[expect(clippy::expect_used, reason = "the testkit generates the URL and the token, and a client requires TLS")]
pub(crate) fn client(
    url: &str,
    token: impl Into<Credential>,
    skipped: impl Fn(Duration) + Send + Sync + 'static,
) -> Client {
    let transport = transport().expect("the system's TLS");
    skip_waits(Client::builder(url, token), skipped).transport(transport).build().expect("a valid URL and token")
}

/// Turns off rate limiting and skips waits.
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

/// Creates a transport for local servers only. It ignores proxy environment variables. It does not load the system's
/// certificates, because loading them takes longer than most tests.
pub(crate) fn transport() -> Result<Reqwest, ConfigError> {
    Reqwest::from_builder(reqwest::Client::builder().no_proxy().tls_certs_only([]))
}

/// A timer that skips the waits that the client announces. Such a wait ends immediately, and the clock advances as if
/// the wait had elapsed. Attempt timeouts are not announced, so they take real time.
struct WaitSkippingTimer {
    system: SystemTimer,
    state: Mutex<State>,
    skipped: Box<dyn Fn(Duration) + Send + Sync>,
}

#[derive(Debug, Default)]
struct State {
    /// The announced waits that have not started. The client announces each wait right before it sleeps.
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
