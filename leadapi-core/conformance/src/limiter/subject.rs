//! A rate limiter and an oracle that receive the same requests at the same times.

use std::{collections::HashMap, sync::Arc, time::Duration};

use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::{AdmissionLog, Limits, ManualClock},
    port::{Admission, Class, RateLimiter},
};

use super::CheckResult;

pub(super) const WINDOW: Duration = AdmissionLog::WINDOW;

/// The maximum time by which `retry_after` may exceed the exact wait.
const TOLERANCE: Duration = Duration::from_secs(1);

/// A limiter under test, its clock, and an oracle for each token and class.
pub(super) struct Subject<L> {
    limiter: L,
    clock: Arc<ManualClock>,
    limits: Limits,
    oracles: HashMap<(&'static str, Class), Oracle>,
}

/// An oracle that applies the definition of the limit to the times of all past admissions.
#[derive(Default)]
struct Oracle(Vec<Duration>);

/// A refusal on which the limiter and the oracle agree.
pub(super) struct Refusal {
    pub(super) retry_after: Duration,
    /// The exact time until the window has room again.
    pub(super) exact: Duration,
}

impl<L: RateLimiter> Subject<L> {
    pub(super) fn new(limiter: L, clock: Arc<ManualClock>, limits: Limits) -> Self {
        Self { limiter, clock, limits, oracles: HashMap::new() }
    }

    pub(super) const fn limit(&self, class: Class) -> u32 {
        self.limits.of(class).get()
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    pub(super) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    pub(super) fn advance_to(&self, at: Duration) {
        self.clock.advance(at.saturating_sub(self.now()));
    }

    /// Returns the time until the oracle admits a request. The time is zero if there is room now.
    pub(super) fn wait(&self, token: &'static str, class: Class) -> Duration {
        let oracle = self.oracles.get(&(token, class));
        oracle.and_then(|oracle| oracle.wait(self.now(), self.limit(class))).unwrap_or_default()
    }

    /// Sends a request, and returns the refusal, if any.
    ///
    /// Fails the check if the limiter and the oracle decide differently.
    pub(super) async fn request(&mut self, token: &'static str, class: Class) -> Result<Option<Refusal>, BoxError> {
        let (now, limit) = (self.now(), self.limit(class));
        let oracle = self.oracles.entry((token, class)).or_default();
        let exact = oracle.wait(now, limit);
        let found = self.limiter.admit(&TokenId::parse(token)?, class).await?;
        match (found, exact) {
            (Admission::Admitted, None) => {
                oracle.0.push(now);
                Ok(None)
            }
            (Admission::Refused { retry_after }, Some(exact)) => Ok(Some(Refusal { retry_after, exact })),
            (_, expected) => {
                let expected = expected.map_or("admitted".into(), |exact| format!("refused for {exact:?}"));
                Err(format!("{class:?} of {token} at {now:?}: found {found:?}, expected {expected}").into())
            }
        }
    }

    /// Sends several requests without advancing the clock. Fails the check if the limiter and the oracle decide
    /// differently about any of them.
    pub(super) async fn burst(&mut self, token: &'static str, class: Class, requests: u32) -> CheckResult {
        for _ in 0..requests {
            self.request(token, class).await?;
        }
        Ok(())
    }
}

impl Oracle {
    /// Returns the time until the window has room, or `None` if it has room now. Scans all past admissions.
    fn wait(&self, now: Duration, limit: u32) -> Option<Duration> {
        let in_window: Vec<Duration> = self.0.iter().copied().filter(|at| now.saturating_sub(*at) < WINDOW).collect();
        // The last admission that must leave the window before there is room.
        let last = in_window.len().checked_sub(limit as usize).and_then(|nth| in_window.get(nth))?;
        Some((*last + WINDOW).saturating_sub(now))
    }
}

impl Refusal {
    /// Fails the check if the wait is too short or too long.
    pub(super) fn check_wait(&self) -> CheckResult {
        let Self { retry_after, exact } = *self;
        if retry_after < exact {
            return Err(format!("retry_after is {retry_after:?}, but retries are refused for {exact:?}").into());
        }
        if retry_after > (exact + TOLERANCE).min(WINDOW) {
            return Err(format!("retry_after is {retry_after:?}, but retries are admitted after {exact:?}").into());
        }
        Ok(())
    }
}
