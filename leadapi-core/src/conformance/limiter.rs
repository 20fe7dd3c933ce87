//! Checks of a rate limiter on a scripted clock, against an oracle (contract D9).

use std::{sync::Arc, time::Duration};

use super::{CheckResult, same};
use crate::{
    BoxError,
    id::TokenId,
    memory::{AdmissionLog, Limits, ManualClock},
    port::{Admission, Class, RateLimiter},
};

const MICROSECOND: Duration = Duration::from_micros(1);
const SECOND: Duration = Duration::from_secs(1);
const WINDOW: Duration = AdmissionLog::WINDOW;

/// A limiter, its clock, and all its admissions.
pub(super) struct Subject<L> {
    pub(super) limiter: L,
    pub(super) clock: Arc<ManualClock>,
    pub(super) limits: Limits,
}

/// The definition of the limit: scans all past admissions for each request.
#[derive(Default)]
struct Oracle(Vec<Duration>);

impl Oracle {
    fn admit(&mut self, now: Duration, limit: u32) -> Admission {
        let in_window: Vec<Duration> = self.0.iter().copied().filter(|at| now - *at < WINDOW).collect();
        let full_since = in_window.len().checked_sub(limit as usize).and_then(|nth| in_window.get(nth));
        match full_since {
            Some(oldest) => Admission::Refused { retry_after: *oldest + WINDOW - now },
            None => {
                self.0.push(now);
                Admission::Admitted
            }
        }
    }
}

impl<L: RateLimiter> Subject<L> {
    async fn admit(&self, token: &str, class: Class) -> Result<Admission, BoxError> {
        self.limiter.admit(&TokenId::from_valid(token), class).await
    }

    fn limit(&self, class: Class) -> u32 {
        match class {
            Class::Read => self.limits.reads.get(),
            Class::Write => self.limits.writes.get(),
        }
    }

    /// Sends reads of one token after each of these pauses, and compares each decision with the oracle's.
    async fn matches_the_oracle(&self, pauses: impl IntoIterator<Item = Duration>) -> CheckResult {
        let mut oracle = Oracle::default();
        for (nth, pause) in pauses.into_iter().enumerate() {
            self.clock.advance(pause);
            let expected = oracle.admit(self.clock.elapsed(), self.limit(Class::Read));
            agrees(&format!("request {nth}"), self.admit("t1", Class::Read).await?, expected)?;
        }
        Ok(())
    }
}

/// Fails the check unless the decision is the expected one. A wait may be up to a second too long, because callers
/// receive whole seconds, but never too short.
fn agrees(what: &str, found: Admission, expected: Admission) -> CheckResult {
    match (found, expected) {
        (Admission::Refused { retry_after: found }, Admission::Refused { retry_after: expected })
            if (expected..=expected + SECOND).contains(&found) =>
        {
            Ok(())
        }
        _ => same(what, &found, &expected),
    }
}

pub(super) async fn admits_a_steady_rate_at_the_limit(subject: &Subject<impl RateLimiter>) -> CheckResult {
    let limit = subject.limit(Class::Read);
    // Rounded up, because a shorter interval would exceed the limit.
    let interval = Duration::from_micros(60_000_000_u64.div_ceil(limit.into()));
    for nth in 0..limit.saturating_mul(3) {
        same(&format!("request {nth}"), &subject.admit("t1", Class::Read).await?, &Admission::Admitted)?;
        subject.clock.advance(interval);
    }
    Ok(())
}

pub(super) async fn refuses_bursts_around_a_window_edge(subject: &Subject<impl RateLimiter>) -> CheckResult {
    let burst = subject.limit(Class::Read) as usize + 1;
    let rest = |first: Duration| std::iter::once(first).chain(std::iter::repeat_n(Duration::ZERO, burst));
    let edges = [59 * SECOND, 2 * SECOND, 58 * SECOND - MICROSECOND, MICROSECOND, WINDOW / 2, WINDOW / 2];
    subject.matches_the_oracle(edges.into_iter().flat_map(rest)).await
}

pub(super) async fn matches_the_definition(subject: &Subject<impl RateLimiter>) -> CheckResult {
    let limit = subject.limit(Class::Read);
    // In whole microseconds, the resolution of a limiter.
    let mean = 60_000_000 / u64::from(limit);
    let mut random = 1_u64;
    let pauses = (0..limit.saturating_mul(6).min(6_000)).map(|_| {
        // The constants of Knuth's MMIX generator.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match (random >> 33) % 1_000 {
            0..300 => Duration::ZERO,
            // A pause after which counters of 32 bits have wrapped around.
            999 => 72 * WINDOW,
            part => Duration::from_micros(mean * part / 700),
        }
    });
    subject.matches_the_oracle(pauses).await
}

pub(super) async fn admits_after_retry_after(subject: &Subject<impl RateLimiter>) -> CheckResult {
    for class in [Class::Read, Class::Write] {
        for nth in 0..subject.limit(class) {
            same(&format!("request {nth}"), &subject.admit("t1", class).await?, &Admission::Admitted)?;
            subject.clock.advance(MICROSECOND);
        }
        let Admission::Refused { retry_after } = subject.admit("t1", class).await? else {
            return Err("a request above the limit was admitted".into());
        };
        subject.clock.advance(retry_after);
        same("after retry_after", &subject.admit("t1", class).await?, &Admission::Admitted)?;
    }
    Ok(())
}

pub(super) async fn counts_tokens_and_classes_separately(subject: &Subject<impl RateLimiter>) -> CheckResult {
    for (token, class) in [("t1", Class::Write), ("t2", Class::Write), ("t1", Class::Read), ("t2", Class::Read)] {
        for nth in 0..subject.limit(class) {
            let what = format!("request {nth} of {token} ({class:?})");
            same(&what, &subject.admit(token, class).await?, &Admission::Admitted)?;
        }
        let above = subject.admit(token, class).await?;
        agrees(
            &format!("one request too many of {token} ({class:?})"),
            above,
            Admission::Refused { retry_after: WINDOW },
        )?;
    }
    Ok(())
}
