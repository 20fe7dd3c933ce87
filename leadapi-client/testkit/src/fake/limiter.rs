//! The service's rate limiter on the fake's clock. A test can make it reject every request until a given time.
//!
//! The service calls this limiter like any other limiter. The service therefore sends its real 429 response, at the
//! right position in the order of checks (contract D1).

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    clock::ManualClock,
    id::TokenId,
    model::Timestamp,
    port::{Admission, Class, Clock, RateLimiter},
    rate_limit::{Limits, SlidingWindow},
};

#[derive(Debug)]
pub(super) struct Limiter {
    window: SlidingWindow,
    clock: Arc<ManualClock>,
    refused_until: Mutex<Option<Timestamp>>,
}

impl Limiter {
    pub(super) fn new(limits: Limits, clock: Arc<ManualClock>) -> Self {
        let time = clock.clone();
        let window = SlidingWindow::with_time(limits, move || time.elapsed());
        Self { window, clock, refused_until: Mutex::default() }
    }

    pub(super) fn refuse_until(&self, until: Timestamp) {
        *self.refused_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Returns the remaining time during which every request is rejected, or `None` if requests are limited as usual.
    fn refused_for(&self) -> Option<Duration> {
        let until = (*self.refused_until.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(until.saturating_duration_since(self.clock.now())).filter(|left| !left.is_zero())
    }
}

#[async_trait]
impl RateLimiter for Limiter {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        match self.refused_for() {
            Some(retry_after) => Ok(Admission::Refused { retry_after }),
            None => self.window.admit(token, class).await,
        }
    }
}
