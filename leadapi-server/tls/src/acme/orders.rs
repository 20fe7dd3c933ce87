//! Orders certificates, and logs the results.

use std::{io, time::Duration};

use futures_util::{Stream, StreamExt};
use rustls_acme::{Event, EventError, EventOk};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{debug, error, info, warn};

use super::failure::reason;

/// The time after which an `AcmeState` is replaced. Its requests have no timeout, so an ACME server that stops
/// responding would otherwise prevent all renewals. A new state also finds a certificate that another process has put
/// in the cache.
const STATE_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// The pause after the first order of a series.
const FIRST_PAUSE: Duration = Duration::from_secs(10);
/// The factor by which each pause is longer than the previous one. The pauses keep the orders within the limit of Let's
/// Encrypt, which is five failed validations per hour and domain.
const FACTOR: u32 = 3;
const MAX_PAUSE: Duration = Duration::from_secs(6 * 60 * 60);

/// Runs each state for its lifetime, until `next_state` returns `None`.
pub(super) async fn follow<S>(domains: &str, mut next_state: impl FnMut() -> Option<S>)
where
    S: Stream<Item = Event<io::Error, io::Error>> + Unpin,
{
    let mut pace = Pace::new();
    while let Some(mut state) = next_state() {
        let end = Instant::now() + STATE_LIFETIME;
        while let Ok(Some(event)) = timeout_at(end, state.next()).await {
            // A state places orders only while it is polled.
            if let Some(pause) = log(domains, event, &mut pace) {
                sleep(pause).await;
            }
        }
    }
}

/// Logs an event. Returns how long to pause if the event ends an order.
fn log(domains: &str, event: Event<io::Error, io::Error>, pace: &mut Pace) -> Option<Duration> {
    match event {
        Ok(EventOk::DeployedCachedCert) => debug!(domains, "the certificate has been read from the cache"),
        Ok(EventOk::AccountCacheStore) => info!("the key of the new ACME account is in the cache"),
        Ok(EventOk::DeployedNewCert) => info!(domains, "a new certificate is in use"),
        Ok(EventOk::CertCacheStore) => {
            debug!(domains, "the new certificate is in the cache");
            // If the clock is wrong, each new certificate may look expired, and the state would order another one.
            return Some(pace.pause());
        }
        Err(EventError::CertCacheStore(error)) => {
            error!(domains, %error, "the new certificate cannot be saved: the next start will order another one");
            return Some(pace.pause());
        }
        Err(EventError::AccountCacheStore(error)) => {
            error!(%error, "the key of the ACME account cannot be saved: the next start will create another account");
        }
        Err(EventError::CertCacheLoad(error)) => {
            warn!(domains, %error, "the cached certificate cannot be read: the server orders another one");
        }
        Err(EventError::AccountCacheLoad(error)) => {
            warn!(%error, "the key of the ACME account cannot be read: the server creates another account");
        }
        Err(EventError::CachedCertParse(error)) => {
            warn!(domains, %error, "the cached certificate is invalid: the server orders another one");
        }
        Err(EventError::NewCertParse(error)) => return Some(failed(domains, &error.to_string(), pace)),
        Err(EventError::Order(error)) => return Some(failed(domains, &reason(&error), pace)),
    }
    None
}

fn failed(domains: &str, reason: &str, pace: &mut Pace) -> Duration {
    let next_attempt_in = pace.pause();
    error!(domains, reason, ?next_attempt_in, "the ACME server has not issued a certificate");
    next_attempt_in
}

/// The pauses between orders.
struct Pace {
    next: Duration,
    last: Instant,
}

impl Pace {
    fn new() -> Self {
        Self { next: FIRST_PAUSE, last: Instant::now() }
    }

    /// Returns the pause after an order that has just ended.
    fn pause(&mut self) -> Duration {
        if self.last.elapsed() > 2 * MAX_PAUSE {
            self.next = FIRST_PAUSE;
        }
        self.last = Instant::now();
        let pause = self.next;
        self.next = (pause * FACTOR).min(MAX_PAUSE);
        pause
    }
}

#[cfg(test)]
#[expect(clippy::result_large_err, reason = "the type is that of the events of rustls-acme")]
mod tests {
    use std::{cell::RefCell, task::Poll};

    use futures_util::stream;
    use rustls_acme::{OrderError, acme::AcmeError};

    use super::*;

    type TestEvent = Event<io::Error, io::Error>;

    fn refused() -> TestEvent {
        Err(EventError::Order(OrderError::Acme(AcmeError::MissingHeader("location"))))
    }

    #[tokio::test(start_paused = true)]
    async fn orders_that_fail_or_succeed_too_often_are_paced() {
        let events: [fn() -> TestEvent; 3] =
            [refused, || Ok(EventOk::CertCacheStore), || Err(EventError::CertCacheStore(io::Error::other("x")))];
        for event in events {
            let (mut pace, mut pauses) = (Pace::new(), Vec::new());
            for _ in 0..12 {
                let pause = log("a.example", event(), &mut pace).unwrap();
                pauses.push(pause.as_secs());
                tokio::time::advance(pause).await;
            }
            assert_eq!(pauses[..4], [10, 30, 90, 270]);
            assert_eq!(pauses[8..], [21_600; 4]);
            // Let's Encrypt allows five failures at once, and one more every 12 minutes.
            assert!(pauses[..5].iter().sum::<u64>() > 12 * 60, "{pauses:?}");
            tokio::time::advance(3 * MAX_PAUSE).await;
            assert_eq!(pace.pause(), FIRST_PAUSE, "a renewal weeks later starts a new series");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_state_is_not_polled_during_a_pause() {
        let (start, times) = (Instant::now(), RefCell::new(Vec::new()));
        let state = stream::poll_fn(|_| {
            times.borrow_mut().push(start.elapsed().as_secs());
            if times.borrow().len() < 4 { Poll::Ready(Some(refused())) } else { Poll::Pending }
        });
        let mut states = Some(state);
        follow("a.example", || states.take()).await;
        assert_eq!(times.borrow()[..4], [0, 10, 40, 130]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_state_that_hangs_is_replaced() {
        let (start, mut starts) = (Instant::now(), Vec::new());
        follow("a.example", || {
            starts.push(start.elapsed());
            (starts.len() < 3).then(stream::pending)
        })
        .await;
        assert_eq!(starts, [Duration::ZERO, STATE_LIFETIME, 2 * STATE_LIFETIME]);
    }
}
