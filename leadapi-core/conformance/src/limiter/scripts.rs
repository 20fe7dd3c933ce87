//! Checks of a rate limiter with fixed request scripts. Each check tests one rule.

use std::time::Duration;

use leadapi_core::port::{Class, RateLimiter};

use super::{
    CLASSES, CheckResult,
    subject::{Subject, WINDOW},
};

const MICROSECOND: Duration = Duration::from_micros(1);
const SECOND: Duration = Duration::from_secs(1);
/// One microsecond less than the window.
const ALMOST_WINDOW: Duration = Duration::from_micros(59_999_999);

pub(super) async fn admits_exactly_the_limit(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    // Each class has its own token, so a limiter that counts reads and writes together passes here and fails the next
    // check.
    for (token, class) in ["reader", "writer"].into_iter().zip(CLASSES) {
        subject.burst(token, class, subject.limit(class).saturating_add(1)).await?;
    }
    Ok(())
}

pub(super) async fn counts_reads_and_writes_separately(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    // The script exhausts the limit of one class and then the limit of the other class, in both orders. It then
    // alternates between the classes.
    for classes in [[Class::Read, Class::Write], [Class::Write, Class::Read]] {
        for class in classes {
            subject.burst("t1", class, subject.limit(class).saturating_add(1)).await?;
        }
        subject.advance(10 * WINDOW);
    }
    for _ in 0..=subject.limit(Class::Read).max(subject.limit(Class::Write)) {
        for class in CLASSES {
            subject.request("t1", class).await?;
        }
    }
    Ok(())
}

pub(super) async fn counts_tokens_separately(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    // Ids are case-sensitive, and one id may be a prefix of another.
    for class in CLASSES {
        for _ in 0..=subject.limit(class) {
            for token in ["t1", "T1", "t10", "t"] {
                subject.request(token, class).await?;
            }
        }
    }
    Ok(())
}

pub(super) async fn admits_a_steady_rate_at_the_limit(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    for class in CLASSES {
        let limit = subject.limit(class);
        // The interval is rounded up, because a shorter interval would exceed the limit.
        let interval = MICROSECOND * 60_000_000_u32.div_ceil(limit);
        for _ in 0..limit.saturating_mul(3) {
            subject.request("t1", class).await?;
            subject.advance(interval);
        }
    }
    Ok(())
}

/// Checks that retries of a refused request do not delay the next admission.
pub(super) async fn does_not_count_refusals(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    for class in CLASSES {
        let limit = subject.limit(class);
        for _ in 0..3 {
            subject.burst("t1", class, limit).await?;
            // If the limiter counted refusals, they would still be in the window after all admissions have left it.
            subject.advance(MICROSECOND);
            subject.burst("t1", class, limit).await?;
            subject.advance(ALMOST_WINDOW);
        }
    }
    Ok(())
}

/// For these requests, GCRA admits almost twice the limit within 60 s, and fixed windows admit exactly twice the limit.
pub(super) async fn refuses_bursts_around_a_window_edge(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    for class in CLASSES {
        let start = subject.now();
        let limit = subject.limit(class);
        // The first script detects fixed windows that start at multiples of 60 s. The second script detects fixed
        // windows that start with a request: its first request starts a window, and its first burst fills that window.
        for (script, first) in [(start, limit), (start + 10 * WINDOW, 1)] {
            for (at, requests) in [
                (SECOND, first),
                (59 * SECOND, limit),
                (60 * SECOND, limit),
                (SECOND + ALMOST_WINDOW, limit),
                (61 * SECOND, limit),
                (90 * SECOND, limit),
                (59 * SECOND + ALMOST_WINDOW, limit),
                (119 * SECOND, limit),
                (121 * SECOND, limit),
            ] {
                subject.advance_to(script + at);
                subject.burst("t1", class, requests).await?;
            }
        }
        subject.advance_to(start + 20 * WINDOW);
    }
    Ok(())
}

/// Checks that a retry is refused one microsecond before the window has room, and admitted after `retry_after`.
pub(super) async fn admits_a_retry_after_the_wait(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    for class in CLASSES {
        let limit = subject.limit(class);
        // The admissions are spread over half a window, so each wait is shorter than the window.
        for nth in 0..limit {
            subject.request("t1", class).await?;
            subject.advance(MICROSECOND * (30_000_000 / limit + nth % 3));
        }
        for _ in 0..limit.saturating_mul(2).min(100) {
            let Some(refusal) = subject.request("t1", class).await? else { continue };
            refusal.check_wait()?;
            let almost = refusal.exact.saturating_sub(MICROSECOND);
            subject.advance(almost);
            subject.request("t1", class).await?;
            subject.advance(refusal.retry_after.saturating_sub(almost));
            subject.request("t1", class).await?;
        }
    }
    Ok(())
}

/// Checks that old admissions do not return to the window when a 32-bit counter wraps around.
pub(super) async fn forgets_admissions_during_long_pauses(mut subject: Subject<impl RateLimiter>) -> CheckResult {
    let wraps = [1 << 31, 1 << 32].map(|units| [Duration::from_micros(units), Duration::from_millis(units)]);
    let wraps = wraps.into_iter().flatten().flat_map(|wrap| [wrap, wrap + WINDOW / 2]);
    let year = 365 * 24 * 60 * WINDOW;
    for pause in [WINDOW, WINDOW + MICROSECOND, 60 * WINDOW, 72 * WINDOW].into_iter().chain(wraps).chain([year]) {
        for class in CLASSES {
            subject.burst("t1", class, subject.limit(class).saturating_add(1)).await?;
        }
        subject.advance(pause);
    }
    for class in CLASSES {
        subject.burst("t1", class, subject.limit(class).saturating_add(1)).await?;
    }
    Ok(())
}
