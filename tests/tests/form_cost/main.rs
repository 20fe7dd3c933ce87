//! Checks that the time and memory of form checks, proofs and lists of paths are bounded, even for hostile records.
//!
//! This is a separate binary, because it counts allocations. `-- --nocapture` prints a table.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "the test prints a table, and a failed unwrap fails it")]

use std::{
    alloc::System,
    time::{Duration, Instant},
};

use leadapi_form::{FormRecord, Policy, Questionnaire, Version};
use leadapi_form_harness::hostile;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The maximum number of bytes that one call may allocate, in addition to `BYTES_PER_BYTE` for each byte of the record.
/// The number includes bytes that are freed during the call, so peak memory is lower.
const BYTES: usize = 150_000_000;
const BYTES_PER_BYTE: usize = 25;

/// The maximum time of one call. It is generous enough for an unoptimized build on a busy machine.
const TIME: Duration = Duration::from_secs(20);

#[test]
fn checking_a_hostile_form_takes_bounded_time_and_memory() {
    println!("{:<52} {:>10} {:>24} {:>24} {:>24} {:>24}", "", "bytes", "read", "check", "prove", "paths");
    let mut wrong = Vec::new();
    for (name, text) in hostile() {
        let (record, read) = measured(|| serde_json::from_str::<FormRecord>(&text).unwrap());
        let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
        let (_, check) = measured(|| form.check());
        let (_, prove) = measured(|| form.prove());
        let (_, paths) = measured(|| form.paths(1_000));
        let costs = [("read", read), ("check", check), ("prove", prove), ("paths", paths)];
        let columns = costs.each_ref().map(|(_, cost)| format!("{:.2?} {} MB", cost.time, cost.bytes / 1_000_000));
        println!(
            "{name:<52} {:>10} {:>24} {:>24} {:>24} {:>24}",
            text.len(),
            columns[0],
            columns[1],
            columns[2],
            columns[3]
        );
        for (what, cost) in costs.into_iter().skip(1) {
            if cost.bytes > BYTES + BYTES_PER_BYTE * text.len() || cost.time > TIME {
                wrong.push(format!("{name}: {what} took {:?} and {} bytes", cost.time, cost.bytes));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

struct Cost {
    time: Duration,
    bytes: usize,
}

fn measured<T>(call: impl FnOnce() -> T) -> (T, Cost) {
    let region = Region::new(ALLOCATOR);
    let start = Instant::now();
    let made = call();
    (made, Cost { time: start.elapsed(), bytes: region.change().bytes_allocated })
}
