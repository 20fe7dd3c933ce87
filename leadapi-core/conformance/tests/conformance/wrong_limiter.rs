//! A rate limiter that is configured with functions, so that tests of the suites can make it incorrect in many ways.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::{Limits, ManualClock},
    port::{Admission, Class, RateLimiter},
};

/// The length of the window in microseconds.
pub(crate) const WINDOW: u64 = 60_000_000;

/// Low limits and the default limits.
pub(crate) fn limits() -> [Limits; 2] {
    let [reads, writes] = [6, 3].map(|limit| NonZeroU32::new(limit).unwrap());
    [Limits::new(reads, writes), Limits::default()]
}

/// Admits a request or returns the wait. The arguments are the times of the requests counted so far, the current time
/// and the limit. Times are in microseconds.
pub(crate) type Decide = fn(&mut Vec<u64>, u64, usize) -> Result<(), u64>;

/// Returns the key under which requests with this token and class are counted.
pub(crate) type Key = fn(&TokenId, Class) -> String;

/// A limiter whose decisions come from a function.
pub(crate) struct WrongLimiter {
    clock: Arc<ManualClock>,
    limits: Limits,
    key: Key,
    decide: Decide,
    counted: Mutex<HashMap<String, Vec<u64>>>,
}

impl WrongLimiter {
    pub(crate) fn new(clock: Arc<ManualClock>, limits: Limits, key: Key, decide: Decide) -> Self {
        Self { clock, limits, key, decide, counted: Mutex::default() }
    }
}

#[async_trait]
impl RateLimiter for WrongLimiter {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        let limit = match class {
            Class::Read => self.limits.reads,
            Class::Write => self.limits.writes,
        };
        let mut counted = self.counted.lock().unwrap();
        let counted = counted.entry((self.key)(token, class)).or_default();
        let now = self.clock.elapsed().as_micros().try_into()?;
        Ok(match (self.decide)(counted, now, limit.get().try_into()?) {
            Ok(()) => Admission::Admitted,
            Err(wait) => Admission::Refused { retry_after: Duration::from_micros(wait) },
        })
    }
}

/// The correct key.
pub(crate) fn by_token_and_class(token: &TokenId, class: Class) -> String {
    format!("{token} {class:?}")
}

pub(crate) fn by_token(token: &TokenId, _: Class) -> String {
    token.to_string()
}

pub(crate) fn by_class(_: &TokenId, class: Class) -> String {
    format!("{class:?}")
}

/// The correct decision.
pub(crate) fn exact(counted: &mut Vec<u64>, now: u64, limit: usize) -> Result<(), u64> {
    counted.retain(|at| now - at < WINDOW);
    count(counted, now, limit)
}

/// Admits and counts a request, unless the limit is already reached.
pub(crate) fn count(counted: &mut Vec<u64>, now: u64, limit: usize) -> Result<(), u64> {
    if counted.len() >= limit {
        return Err((counted[counted.len() - limit] + WINDOW).saturating_sub(now));
    }
    counted.push(now);
    Ok(())
}

/// The generic cell rate algorithm, which stores only the theoretical arrival time of the next request.
pub(crate) fn gcra(counted: &mut Vec<u64>, now: u64, limit: usize) -> Result<(), u64> {
    let interval = WINDOW / limit as u64;
    let arrival = counted.last().copied().unwrap_or(0).max(now);
    if arrival + interval > now + WINDOW {
        return Err(arrival + interval - now - WINDOW);
    }
    *counted = vec![arrival + interval];
    Ok(())
}
