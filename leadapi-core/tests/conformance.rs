//! The in-memory stores pass the conformance suite, directly and behind each pointer that implements the port.

#![cfg(feature = "conformance")]
#![allow(clippy::indexing_slicing, reason = "an index out of bounds fails the test")]

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use futures_executor::block_on;
use leadapi_core::{
    BoxError, conformance,
    id::TokenId,
    memory::{Limits, ManualClock, MemoryStore, MemoryTokens, SlidingWindow, SystemClock, Uuids},
    port::{Admission, Class, Clock, IdSource, RateLimiter, Store, TokenStore, TokenVerifier},
    tokens::StoredTokens,
};

#[test]
fn the_store_in_memory() {
    block_on(conformance::run(async |dataset| Ok(MemoryStore::new(dataset)))).unwrap();
}

#[test]
fn behind_an_arc() {
    let make = async |dataset| Ok(Arc::new(MemoryStore::new(dataset)) as Arc<dyn Store>);
    block_on(conformance::run(make)).unwrap();
}

#[test]
fn behind_a_box() {
    let make = async |dataset| Ok(Box::new(MemoryStore::new(dataset)) as Box<dyn Store>);
    block_on(conformance::run(make)).unwrap();
}

#[test]
fn the_tokens_in_memory() {
    block_on(conformance::run_tokens(async |_| Ok(MemoryTokens::default()))).unwrap();
}

#[test]
fn tokens_behind_an_arc() {
    let make = async |_| Ok(Arc::new(MemoryTokens::default()) as Arc<dyn TokenStore>);
    block_on(conformance::run_tokens(make)).unwrap();
}

#[test]
fn tokens_behind_a_box() {
    let make = async |_| Ok(Box::new(MemoryTokens::default()) as Box<dyn TokenStore>);
    block_on(conformance::run_tokens(make)).unwrap();
}

#[test]
fn the_limiter_in_memory() {
    let make = async |clock: Arc<ManualClock>| Ok(SlidingWindow::with_time(LIMITS, move || clock.elapsed()));
    block_on(conformance::run_limiter(LIMITS, make)).unwrap();
}

/// Returns the check that detects a wrong limiter.
fn detects(decide: fn(&mut Counts, Duration, Class) -> Admission) -> String {
    let make = async |clock| Ok(WrongLimiter { clock, counts: Mutex::default(), decide });
    block_on(conformance::run_limiter(LIMITS, make)).unwrap_err().to_string()
}

#[test]
fn a_fixed_window_is_detected() {
    let violation = detects(|counts, now, class| {
        counts.retain(|(at, _)| at.as_secs() / 60 == now.as_secs() / 60);
        admit(counts, now, class, 0)
    });
    assert!(violation.starts_with("limiter::refuses_bursts_around_a_window_edge"), "{violation}");
}

#[test]
fn counting_refusals_is_detected() {
    let violation = detects(|counts, now, class| {
        let decision = admit(counts, now, class, 0);
        if decision != Admission::Admitted {
            counts.push((now, class));
        }
        decision
    });
    assert!(violation.starts_with("limiter::refuses_bursts_around_a_window_edge"), "{violation}");
}

#[test]
fn one_request_too_many_is_detected() {
    let violation = detects(|counts, now, class| admit(counts, now, class, 1));
    assert!(violation.starts_with("limiter::refuses_bursts_around_a_window_edge"), "{violation}");
}

#[test]
fn a_window_that_is_too_long_is_detected() {
    let violation = detects(|counts, now, class| {
        let decision = admit(counts, now, class, 0);
        counts.iter_mut().for_each(|(at, _)| *at += Duration::from_nanos(1));
        decision
    });
    assert!(violation.starts_with("limiter::admits_a_steady_rate_at_the_limit"), "{violation}");
}

#[test]
fn counting_reads_and_writes_together_is_detected() {
    let violation = detects(|counts, now, _| admit(counts, now, Class::Read, 0));
    assert!(violation.starts_with("limiter::admits_after_retry_after"), "{violation}");
}

#[test]
fn limiters_that_do_not_share_their_counts_are_detected() {
    let limiters = [SlidingWindow::new(LIMITS), SlidingWindow::new(LIMITS)];
    let violation = block_on(conformance::run_shared_limiter(LIMITS, &limiters)).unwrap_err().to_string();
    assert!(violation.ends_with("6 of 6 requests were admitted, not 3"), "{violation}");
}

const LIMITS: Limits = Limits::new(NonZeroU32::new(6).unwrap(), NonZeroU32::new(3).unwrap());

/// The times and classes of the counted requests of one token.
type Counts = Vec<(Duration, Class)>;

/// Applies the definition of the limit, plus a number of extra requests.
fn admit(counts: &mut Counts, now: Duration, class: Class, extra: usize) -> Admission {
    const WINDOW: Duration = Duration::from_secs(60);
    let limit = match class {
        Class::Read => LIMITS.reads,
        Class::Write => LIMITS.writes,
    };
    let in_window: Vec<Duration> =
        counts.iter().filter(|(at, of)| now.saturating_sub(*at) < WINDOW && *of == class).map(|(at, _)| *at).collect();
    let limit = limit.get() as usize + extra;
    if in_window.len() >= limit {
        return Admission::Refused { retry_after: in_window[in_window.len() - limit] + WINDOW - now };
    }
    counts.push((now, class));
    Admission::Admitted
}

/// A limiter that decides with a function.
struct WrongLimiter {
    clock: Arc<ManualClock>,
    counts: Mutex<HashMap<TokenId, Counts>>,
    decide: fn(&mut Counts, Duration, Class) -> Admission,
}

#[async_trait]
impl RateLimiter for WrongLimiter {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        let mut counts = self.counts.lock().unwrap();
        Ok((self.decide)(counts.entry(token.clone()).or_default(), self.clock.elapsed(), class))
    }
}

/// Compiles only if each port is object safe and is implemented for the pointers to it.
#[test]
fn every_port_is_object_safe() {
    const fn port<T: Send + Sync + ?Sized>() {}
    fn store(_: impl Store) {}
    fn tokens(_: impl TokenStore) {}
    fn verifier(_: impl TokenVerifier) {}
    fn limiter(_: impl RateLimiter) {}
    port::<dyn Clock>();
    port::<dyn IdSource>();
    store(Box::new(MemoryStore::default()) as Box<dyn Store>);
    tokens(Arc::new(MemoryTokens::default()) as Arc<dyn TokenStore>);
    verifier(Box::new(StoredTokens::new(MemoryTokens::default(), SystemClock)) as Box<dyn TokenVerifier>);
    limiter(Arc::new(SlidingWindow::new(Limits::default())) as Arc<dyn RateLimiter>);
    let _: Box<dyn IdSource> = Box::new(Uuids::default());
}
