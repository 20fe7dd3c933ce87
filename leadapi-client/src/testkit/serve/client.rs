//! The client of a test: as programs have it, but that nothing it waits for takes any time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;

use crate::{
    Builder, Client, ConfigError, Credential, Pacing,
    timer::{SystemTimer, Timer},
    transport::Reqwest,
};

/// A client of one of the kit's servers: with the default policy on repetitions and no pace. Its waits are over at once, and
/// it is said how long each would have been.
#[expect(clippy::expect_used, reason = "the URL and the token are the kit's own; without TLS no client can be made")]
pub(crate) fn client(
    url: &str,
    token: impl Into<Credential>,
    skipped: impl Fn(Duration) + Send + Sync + 'static,
) -> Client {
    let transport = transport().expect("TLS of the system");
    unhurried(Client::builder(url, token), skipped).transport(transport).expect("a URL and a token that are good")
}

/// No pace, and waits that are over at once.
pub(crate) fn unhurried(builder: Builder, skipped: impl Fn(Duration) + Send + Sync + 'static) -> Builder {
    let waits = Arc::new(Waits { system: SystemTimer::default(), told: Mutex::default(), skipped: Box::new(skipped) });
    let hook = waits.clone();
    let builder = builder.pacing(Pacing::off()).timer(waits);
    builder.on_wait(move |wait| hook.lock().expected.push(wait.duration))
}

/// Over the sockets of this machine and nowhere else: past the proxies of the environment, and without the certificates
/// of the system, which take longer to read than most tests to run.
pub(crate) fn transport() -> Result<Reqwest, ConfigError> {
    Reqwest::from_builder(reqwest::Client::builder().no_proxy().tls_certs_only([]))
}

/// The time of the system, but for the waits of which the client has told: they are over at once, and the time is then as
/// if they had not been. What limits an attempt is no wait, and is real.
struct Waits {
    system: SystemTimer,
    told: Mutex<Told>,
    skipped: Box<dyn Fn(Duration) + Send + Sync>,
}

#[derive(Debug, Default)]
struct Told {
    /// The client tells of a wait right before it asks for it.
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
