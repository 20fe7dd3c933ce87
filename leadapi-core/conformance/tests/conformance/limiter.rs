//! Tests that the conformance suite for single rate limiters accepts correct limiters and detects incorrect ones.

use std::{num::NonZeroU32, sync::Arc};

use futures_executor::block_on;
use leadapi_core::{
    id::TokenId,
    memory::{Limits, ManualClock, SlidingWindow},
    port::RateLimiter,
};

use super::wrong_limiter::{
    Decide, Key, WINDOW, WrongLimiter, by_class, by_token, by_token_and_class, count, exact, gcra, limits,
};

#[test]
fn the_in_memory_limiter_passes() {
    let other = [(1, 1), (7, 4), (59, 61)].map(|(reads, writes)| {
        let [reads, writes] = [reads, writes].map(|limit| NonZeroU32::new(limit).unwrap());
        Limits::new(reads, writes)
    });
    for limits in limits().into_iter().chain(other) {
        let make = async |clock: Arc<ManualClock>| {
            let limiter = SlidingWindow::with_time(limits, move || clock.elapsed());
            Ok(Box::new(limiter) as Box<dyn RateLimiter>)
        };
        block_on(leadapi_conformance::run_limiter(limits, make)).unwrap();
    }
}

#[test]
fn waits_rounded_up_to_whole_seconds_pass() {
    for limits in limits() {
        run(limits, by_token_and_class, |counted, now, limit| {
            exact(counted, now, limit).map_err(|wait| wait.next_multiple_of(1_000_000))
        })
        .unwrap();
    }
}

fn run(limits: Limits, key: Key, decide: Decide) -> Result<(), leadapi_conformance::Violation> {
    block_on(leadapi_conformance::run_limiter(limits, async |clock| Ok(WrongLimiter::new(clock, limits, key, decide))))
}

/// Fails unless this check detects that the limiter is incorrect.
#[track_caller]
fn detects(check: &str, key: Key, decide: Decide) {
    for limits in limits() {
        let violation = run(limits, key, decide).unwrap_err().to_string();
        assert!(violation.starts_with(&format!("limiter::{check}: ")), "{violation}");
    }
}

#[track_caller]
fn detects_decision(check: &str, decide: Decide) {
    detects(check, by_token_and_class, decide);
}

#[test]
fn one_request_too_many_is_detected() {
    detects_decision("admits_exactly_the_limit", |counted, now, limit| exact(counted, now, limit + 1));
}

#[test]
fn one_request_too_few_is_detected() {
    detects_decision("admits_exactly_the_limit", |counted, now, limit| exact(counted, now, limit - 1));
}

#[test]
fn counting_reads_and_writes_together_is_detected() {
    detects("counts_reads_and_writes_separately", by_token, exact);
}

#[test]
fn counting_all_tokens_together_is_detected() {
    detects("counts_tokens_separately", by_class, exact);
}

#[test]
fn counting_ids_of_different_case_together_is_detected() {
    let key = |token: &TokenId, class| format!("{} {class:?}", token.as_str().to_lowercase());
    detects("counts_tokens_separately", key, exact);
}

#[test]
fn a_sliding_counter_with_two_cells_is_detected() {
    detects_decision("admits_a_steady_rate_at_the_limit", |counted, now, limit| {
        let (cell, elapsed) = (now / WINDOW, now % WINDOW);
        let current = counted.iter().filter(|at| *at / WINDOW == cell).count() as u64;
        let previous = counted.iter().filter(|at| *at / WINDOW + 1 == cell).count() as u64;
        if current * WINDOW + previous * (WINDOW - elapsed) >= limit as u64 * WINDOW {
            return Err(WINDOW - elapsed);
        }
        counted.push(now);
        Ok(())
    });
}

#[test]
fn a_window_that_includes_both_its_ends_is_detected() {
    detects_decision("admits_a_steady_rate_at_the_limit", |counted, now, limit| {
        counted.retain(|at| now - at <= WINDOW);
        count(counted, now, limit)
    });
}

#[test]
fn counting_refusals_is_detected() {
    detects_decision("does_not_count_refusals", |counted, now, limit| {
        let decision = exact(counted, now, limit);
        if decision.is_err() {
            counted.push(now);
        }
        decision
    });
}

#[test]
fn a_fixed_window_is_detected() {
    detects_decision("refuses_bursts_around_a_window_edge", |counted, now, limit| {
        counted.retain(|at| *at / WINDOW == now / WINDOW);
        count(counted, now, limit)
    });
}

#[test]
fn a_fixed_window_from_the_first_request_is_detected() {
    detects_decision("refuses_bursts_around_a_window_edge", |counted, now, limit| {
        if counted.first().is_some_and(|first| now - first >= WINDOW) {
            counted.clear();
        }
        count(counted, now, limit)
    });
}

#[test]
fn gcra_is_detected() {
    detects_decision("refuses_bursts_around_a_window_edge", gcra);
}

#[test]
fn a_window_that_is_a_microsecond_too_short_is_detected() {
    detects_decision("refuses_bursts_around_a_window_edge", |counted, now, limit| {
        counted.retain(|at| now - at < WINDOW - 1);
        count(counted, now, limit)
    });
}

#[test]
fn a_constant_wait_is_detected() {
    detects_decision("admits_a_retry_after_the_wait", |counted, now, limit| {
        exact(counted, now, limit).map_err(|_| WINDOW)
    });
}

#[test]
fn a_wait_that_is_a_microsecond_too_short_is_detected() {
    detects_decision("admits_a_retry_after_the_wait", |counted, now, limit| {
        exact(counted, now, limit).map_err(|wait| wait - 1)
    });
}

#[test]
fn a_wait_for_the_newest_admission_is_detected() {
    detects_decision("admits_a_retry_after_the_wait", |counted, now, limit| {
        let newest = counted.last().copied();
        exact(counted, now, limit).map_err(|wait| newest.map_or(wait, |newest| newest + WINDOW - now))
    });
}

#[test]
fn times_of_32_bits_are_detected() {
    detects_decision("forgets_admissions_during_long_pauses", |counted, now, limit| {
        counted.retain(|at| (now - at) % (1 << 32) < WINDOW);
        count(counted, now, limit)
    });
}

#[test]
fn a_resolution_of_one_millisecond_is_detected() {
    detects_decision("admits_a_retry_after_the_wait", |counted, now, limit| {
        exact(counted, now - now % 1_000, limit).map_err(|wait| (wait + 1_000).min(WINDOW))
    });
}

#[test]
fn an_error_of_the_limiter_is_a_violation() {
    let make = async |_| Err::<SlidingWindow, _>("the limiter is down".into());
    let violation = block_on(leadapi_conformance::run_limiter(Limits::default(), make)).unwrap_err();
    assert_eq!(violation.to_string(), "limiter::admits_exactly_the_limit: the limiter is down");
}
