//! The conformance suite for rate limiters that share their counts. It uses real clocks (contract D9).

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    id::TokenId,
    memory::{AdmissionLog, Limits},
    port::{Admission, Class, RateLimiter},
};
use uuid::Uuid;

use super::{CheckResult, Violation, same};

const WINDOW: Duration = AdmissionLog::WINDOW;

/// The maximum time by which a wait may be too short, because the suite and the limiter use different clocks.
const TOLERANCE: Duration = Duration::from_secs(1);

/// The number of concurrent callers for each token and class.
const CALLERS: usize = 16;

/// Checks that several rate limiters, such as one on each server, enforce one limit together (contract D9).
///
/// The limiters use real clocks and share their counts. To check only that decisions are atomic, pass a single limiter.
/// The suite can be run repeatedly against the same shared counts, because each check uses new random tokens.
///
/// The suite does not wait for admissions to leave the window. Each check must end within the window of 60 s, so use
/// low limits for slow limiters. [`run_limiter`](super::run_limiter) checks decisions over time.
///
/// ```
/// use std::sync::Arc;
/// use leadapi_core::memory::{Limits, SlidingWindow};
///
/// # futures_executor::block_on(async {
/// let limits = Limits::default();
/// let shared = Arc::new(SlidingWindow::new(limits));
/// leadapi_conformance::run_shared_limiter(limits, &[shared.clone(), shared]).await?;
///
/// // Limiters that count separately fail.
/// let separate = [SlidingWindow::new(limits), SlidingWindow::new(limits)];
/// let violation = leadapi_conformance::run_shared_limiter(limits, &separate).await.unwrap_err();
/// assert!(violation.to_string().starts_with("shared_limiter::admit_one_limit_together"));
/// # Ok::<(), leadapi_conformance::Violation>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, a check that took longer than 60 s, or an error from a limiter.
pub async fn run_shared_limiter(limits: Limits, limiters: &[impl RateLimiter]) -> Result<(), Violation> {
    macro_rules! checks {
        ($($check:ident)*) => {$(
            let outcome = $check(limits, limiters).await;
            let check = concat!("shared_limiter::", stringify!($check));
            outcome.map_err(|fault| Violation { check, fault })?;
        )*};
    }
    checks! { admit_one_limit_together count_tokens_and_classes_separately see_admissions_of_other_limiters }
    Ok(())
}

/// Checks that all limiters together admit exactly as many concurrent requests as the limit allows.
async fn admit_one_limit_together(limits: Limits, limiters: &[impl RateLimiter]) -> CheckResult {
    for (class, limit) in classes(limits) {
        Requests::new(class, limit).race(limiters).await?;
    }
    Ok(())
}

async fn count_tokens_and_classes_separately(limits: Limits, limiters: &[impl RateLimiter]) -> CheckResult {
    let [reads, writes] = classes(limits).map(|(class, limit)| Requests::new(class, limit));
    // The same two tokens, each with the other class.
    let others = [writes.of(&reads.token), reads.of(&writes.token)];
    let all = [reads, writes].into_iter().chain(others).collect::<Vec<_>>();
    join_all(all.iter().map(|requests| requests.race(limiters))).await.into_iter().collect()
}

/// Checks that all limiters refuse requests after one limiter has admitted the whole limit.
async fn see_admissions_of_other_limiters(limits: Limits, limiters: &[impl RateLimiter]) -> CheckResult {
    for (nth, limiter) in limiters.iter().enumerate() {
        for (class, limit) in classes(limits) {
            let requests = Requests::new(class, limit);
            for _ in 0..limit {
                same(&format!("a request to limiter {nth}"), &requests.send(limiter).await?, &true)?;
            }
            for (other, limiter) in limiters.iter().enumerate() {
                let admitted = requests.send(limiter).await?;
                requests.check_duration()?;
                let what = format!("whether limiter {other} admits a request after limiter {nth} admitted the limit");
                same(&what, &admitted, &false)?;
            }
        }
    }
    Ok(())
}

fn classes(limits: Limits) -> [(Class, u32); 2] {
    [Class::Read, Class::Write].map(|class| (class, limits.of(class).get()))
}

/// Requests with one token and class.
struct Requests {
    token: TokenId,
    class: Class,
    limit: u32,
    /// A time no later than the first request.
    start: Instant,
}

impl Requests {
    /// Creates requests for a new token. An existing token could already have admissions in the window.
    fn new(class: Class, limit: u32) -> Self {
        let token = TokenId::from(Uuid::now_v7());
        Self { token, class, limit, start: Instant::now() }
    }

    fn of(&self, token: &TokenId) -> Self {
        Self { token: token.clone(), ..*self }
    }

    /// Sends more than twice the limit from concurrent callers to all limiters. Fails the check unless exactly the
    /// limit is admitted.
    async fn race(&self, limiters: &[impl RateLimiter]) -> CheckResult {
        let requests = (self.limit as usize).saturating_mul(2).div_ceil(CALLERS) + 1;
        let callers = (0..CALLERS).map(|caller| async move {
            let mut admitted = 0;
            // Each caller starts with a different limiter.
            for limiter in limiters.iter().cycle().skip(caller).take(requests) {
                admitted += u32::from(self.send(limiter).await?);
            }
            Ok(admitted)
        });
        let admitted = join_all(callers).await.into_iter().collect::<Result<Vec<u32>, BoxError>>()?;
        self.check_duration()?;
        let what = format!("the number of admissions of {:?} requests", self.class);
        same(&what, &admitted.into_iter().sum(), &self.limit)
    }

    /// Sends a request and returns whether it was admitted. If it was refused, checks the wait.
    async fn send(&self, limiter: &impl RateLimiter) -> Result<bool, BoxError> {
        let Admission::Refused { retry_after } = limiter.admit(&self.token, self.class).await? else { return Ok(true) };
        if retry_after.is_zero() || retry_after > WINDOW {
            return Err(format!("retry_after is {retry_after:?}, but must be in (0 s, 60 s]").into());
        }
        // No admission is older than `start`, so none leaves the window before `start + WINDOW`.
        let shortest = WINDOW.saturating_sub(self.start.elapsed());
        if retry_after + TOLERANCE < shortest {
            return Err(format!("retry_after is {retry_after:?}, but the window stays full for {shortest:?}").into());
        }
        Ok(false)
    }

    /// Fails the check if admissions may already have left the window, because the number of admissions would then
    /// prove nothing.
    fn check_duration(&self) -> CheckResult {
        let elapsed = self.start.elapsed();
        if elapsed < WINDOW {
            return Ok(());
        }
        Err(format!("the check took {elapsed:?}, but it must end within {WINDOW:?}: use lower limits").into())
    }
}
