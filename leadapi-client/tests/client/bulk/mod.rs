//! Tests of bulk creates against the real service, over an unreliable transport and on a simulated clock.

mod keys;
mod losses;
mod simulation;
mod stops;
mod stream;

use std::collections::BTreeMap;

use leadapi_client::{
    RetryPolicy,
    bulk::{Progress, RowResult},
    model::NewLead,
};

use crate::support;

fn row(number: usize) -> NewLead {
    NewLead::new(&support::casa_verde(), format!("Row {number}"))
}

fn rows(number: usize) -> Vec<NewLead> {
    (0..number).map(row).collect()
}

fn each_once(number: usize) -> BTreeMap<String, usize> {
    (0..number).map(|number| (format!("Row {number}"), 1)).collect()
}

fn indices<R>(results: &[RowResult<R>]) -> Vec<u64> {
    results.iter().map(|result| result.index).collect()
}

/// Returns a policy with enough attempts to survive the injected faults.
fn many_attempts() -> RetryPolicy {
    RetryPolicy::default().attempts(30)
}

fn counts(progress: Progress) -> [u64; 5] {
    [progress.created, progress.replayed, progress.refused, progress.failed, progress.unknown]
}
