//! The conformance suite for rate limiters, on a clock that the suite controls (contract D9).

mod random;
mod scripts;
mod subject;

use std::sync::Arc;

use leadapi_core::{
    BoxError,
    memory::{Limits, ManualClock},
    model::Timestamp,
    port::{Class, RateLimiter},
};

use self::subject::Subject;
use super::{CheckResult, Violation};

const CLASSES: [Class; 2] = [Class::Read, Class::Write];

/// Runs every check of a rate limiter, each on a fresh limiter whose clock the suite advances (contract D9).
///
/// `make` receives a clock and returns a limiter that enforces `limits`. The limiter must read the time only from the
/// clock's [`elapsed`](ManualClock::elapsed), and must not round it to units longer than a microsecond. It must not
/// wait for real time to pass.
///
/// Each check compares the limiter's decisions with the definition of the limit. `retry_after` must be neither too
/// short nor longer than 60 s. It may be up to one second too long, because callers receive it in whole seconds.
///
/// The number of requests grows with the limits, so use low limits for a limiter that communicates over a network.
/// [`run_shared_limiter`](super::run_shared_limiter) checks concurrent requests.
///
/// ```
/// use std::num::NonZeroU32;
/// use leadapi_core::memory::{Limits, SlidingWindow};
///
/// # futures_executor::block_on(async {
/// let limits = Limits::new(NonZeroU32::new(20).unwrap(), NonZeroU32::new(7).unwrap());
/// leadapi_conformance::run_limiter(limits, async |clock| {
///     Ok(SlidingWindow::with_time(limits, move || clock.elapsed()))
/// }).await?;
///
/// // A limiter with different limits fails.
/// let violation = leadapi_conformance::run_limiter(limits, async |clock| {
///     Ok(SlidingWindow::with_time(Limits::default(), move || clock.elapsed()))
/// }).await.unwrap_err();
/// assert!(violation.to_string().starts_with("limiter::admits_exactly_the_limit"));
/// # Ok::<(), leadapi_conformance::Violation>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error from `make` or from the limiter.
pub async fn run_limiter<L: RateLimiter>(
    limits: Limits,
    make: impl AsyncFn(Arc<ManualClock>) -> Result<L, BoxError>,
) -> Result<(), Violation> {
    macro_rules! checks {
        ($($module:ident: $($check:ident)*;)*) => {$($(
            let check = concat!("limiter::", stringify!($check));
            let outcome = async {
                let clock = Arc::new(ManualClock::at(Timestamp::UNIX_EPOCH));
                $module::$check(Subject::new(make(clock.clone()).await?, clock, limits)).await
            };
            outcome.await.map_err(|fault| Violation { check, fault })?;
        )*)*};
    }
    // The checks run from specific to general, so the first failure names the rule that the limiter violates.
    checks! {
        scripts: admits_exactly_the_limit counts_reads_and_writes_separately counts_tokens_separately
            admits_a_steady_rate_at_the_limit does_not_count_refusals refuses_bursts_around_a_window_edge
            admits_a_retry_after_the_wait forgets_admissions_during_long_pauses;
        random: matches_the_definition;
    }
    Ok(())
}
