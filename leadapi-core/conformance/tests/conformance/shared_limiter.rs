//! Tests that the conformance suite for rate limiters with shared counts accepts correct limiters and detects incorrect
//! ones.

use std::{
    num::NonZeroU32,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use futures_executor::block_on;
use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::{Limits, ManualClock, SlidingWindow},
    port::{Admission, Class, RateLimiter},
};

use super::wrong_limiter::{
    Decide, Key, WINDOW, WrongLimiter, by_class, by_token, by_token_and_class, exact, gcra, limits,
};

fn run(limits: Limits, limiters: &[impl RateLimiter]) -> Result<(), leadapi_conformance::Violation> {
    // The suite's future must be `Send`, so that a host can spawn it on its runtime.
    fn spawnable<T: Send>(task: T) -> T {
        task
    }
    block_on(spawnable(leadapi_conformance::run_shared_limiter(limits, limiters)))
}

/// Fails unless this check detects that the limiters are incorrect.
#[track_caller]
fn detects<L: RateLimiter>(check: &str, make: impl Fn(Limits) -> Vec<L>) {
    for limits in limits() {
        let violation = run(limits, &make(limits)).unwrap_err().to_string();
        assert!(violation.starts_with(&format!("shared_limiter::{check}: ")), "{violation}");
    }
}

/// Returns three handles to one incorrect limiter. Its clock stands still, as if the suite took no time.
fn shared(limits: Limits, key: Key, decide: Decide) -> Vec<Arc<WrongLimiter>> {
    let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
    let shared = Arc::new(WrongLimiter::new(clock, limits, key, decide));
    vec![shared.clone(), shared.clone(), shared]
}

#[test]
fn limiters_that_share_one_in_memory() {
    for limits in limits() {
        for count in [1, 2, 5, 20] {
            let shared = Arc::new(SlidingWindow::new(limits));
            run(limits, &vec![shared; count]).unwrap();
        }
        let shared = Arc::new(Yielding(SlidingWindow::new(limits)));
        run(limits, &[shared.clone() as Arc<dyn RateLimiter>, shared]).unwrap();
    }
}

#[test]
fn limiters_that_count_separately_are_detected() {
    detects("admit_one_limit_together", |limits| vec![SlidingWindow::new(limits), SlidingWindow::new(limits)]);
}

#[test]
fn counting_after_the_decision_is_detected() {
    detects("admit_one_limit_together", |limits| vec![Racing { limits, counted: Mutex::default() }]);
}

#[test]
fn one_request_too_many_is_detected() {
    detects("admit_one_limit_together", |limits| {
        shared(limits, by_token_and_class, |counted, now, limit| exact(counted, now, limit + 1))
    });
}

#[test]
fn one_request_too_few_is_detected() {
    detects("admit_one_limit_together", |limits| {
        shared(limits, by_token_and_class, |counted, now, limit| exact(counted, now, limit - 1))
    });
}

#[test]
fn a_wait_of_zero_is_detected() {
    detects("admit_one_limit_together", |limits| {
        shared(limits, by_token_and_class, |counted, now, limit| exact(counted, now, limit).map_err(|_| 0))
    });
}

#[test]
fn a_wait_longer_than_the_window_is_detected() {
    detects("admit_one_limit_together", |limits| {
        shared(limits, by_token_and_class, |counted, now, limit| exact(counted, now, limit).map_err(|wait| wait + 1))
    });
}

/// GCRA admits exactly the limit in a burst, but returns a wait of one interval instead of the window.
#[test]
fn gcra_is_detected() {
    detects("admit_one_limit_together", |limits| shared(limits, by_token_and_class, gcra));
}

#[test]
fn counting_reads_and_writes_together_is_detected() {
    detects("count_tokens_and_classes_separately", |limits| shared(limits, by_token, exact));
}

#[test]
fn counting_all_tokens_together_is_detected() {
    detects("count_tokens_and_classes_separately", |limits| shared(limits, by_class, exact));
}

/// The shares add up to the limit, but a caller that uses only one limiter is refused too early.
#[test]
fn a_fixed_share_for_each_limiter_is_detected() {
    detects("see_admissions_of_other_limiters", |limits| {
        let third = |limit: NonZeroU32| NonZeroU32::new(limit.get() / 3).unwrap();
        let share = Limits::new(third(limits.reads), third(limits.writes));
        (0..3).map(|_| SlidingWindow::new(share)).collect()
    });
}

/// A limiter that counts admissions only after a wait, like a store that reads and updates a count in two queries.
struct Racing {
    limits: Limits,
    counted: Mutex<Vec<(TokenId, Class)>>,
}

#[async_trait]
impl RateLimiter for Racing {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        let limit = match class {
            Class::Read => self.limits.reads,
            Class::Write => self.limits.writes,
        };
        let key = (token.clone(), class);
        let count = self.counted.lock().unwrap().iter().filter(|counted| **counted == key).count();
        Yield::default().await;
        if count >= limit.get().try_into()? {
            return Ok(Admission::Refused { retry_after: Duration::from_micros(WINDOW) });
        }
        self.counted.lock().unwrap().push(key);
        Ok(Admission::Admitted)
    }
}

/// A correct limiter that waits before and after each decision, so that the requests of all callers interleave.
struct Yielding(SlidingWindow);

#[async_trait]
impl RateLimiter for Yielding {
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
        Yield::default().await;
        let decision = self.0.check(token, class);
        Yield::default().await;
        Ok(decision)
    }
}

/// Lets the other callers run once.
#[derive(Default)]
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
