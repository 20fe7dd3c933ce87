//! The service's rate limiter on the fake's clock. A test can close it until a given time.
//!
//! Because the limiter itself refuses, the 429 is the service's own, and comes in the right order of checks (contract
//! D1).

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::{Limits, ManualClock, SlidingWindow},
    model::Timestamp,
    port::{Admission, Class, Clock, RateLimiter},
};

#[derive(Debug)]
pub(super) struct Limiter {
    window: SlidingWindow,
    clock: Arc<ManualClock>,
    closed_until: Mutex<Option<Timestamp>>,
}

impl Limiter {
    pub(super) fn new(limits: Limits, clock: Arc<ManualClock>) -> Self {
        let time = clock.clone();
        let window = SlidingWindow::with_time(limits, move || time.elapsed());
        Self { window, clock, closed_until: Mutex::default() }
    }

    pub(super) fn close_until(&self, until: Timestamp) {
        *self.closed_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Returns how long it stays closed.
    fn closed_for(&self) -> Option<Duration> {
        let until = (*self.closed_until.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(until.saturating_duration_since(self.clock.now())).filter(|left| !left.is_zero())
    }
}

#[async_trait]
impl RateLimiter for Limiter {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        match self.closed_for() {
            Some(retry_after) => Ok(Admission::Refused { retry_after }),
            None => self.window.admit(token, class).await,
        }
    }
}
