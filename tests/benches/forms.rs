//! Measures the time to walk forms with 12 and 100 pages, and compares it with the tests' naive interpreter. Each page
//! has two questions, three rules of two conditions, and a fallback. Also measures the time to parse, compile and check
//! a sample form, and to check a form with 100 pages.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

use std::{
    alloc::System,
    hint::black_box,
    time::{Duration, Instant},
};

use leadapi_cost::sized;
use leadapi_form::{Answers, FormRecord, Outcome, Policy, Questionnaire, Version};
use leadapi_form_harness::Naive;
use serde_json::Value;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SAMPLE: &str = include_str!("../../leadapi-core/model/tests/data/form.json");
/// The number of rounds. Other programs are unlikely to disturb all of these short rounds.
const ROUNDS: usize = 301;

fn main() {
    println!("best and median of {ROUNDS} rounds");
    walks(12, 200, 4);
    walks(100, 40, 1);
    let policy = Policy::default();
    let record: FormRecord = serde_json::from_str(SAMPLE).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, &policy);
    let say = |what: &str, (best, median): (Duration, Duration)| println!("{what:<44} {best:>12.2?} {median:>12.2?}");
    say("sample: parse", time(2, || serde_json::from_str::<FormRecord>(SAMPLE).unwrap()));
    say("sample: compile", time(40, || Questionnaire::compile(&record, Version::Live, &policy).pages().count()));
    say(
        "sample: parse and compile",
        time(2, || {
            let record: FormRecord = serde_json::from_str(SAMPLE).unwrap();
            Questionnaire::compile(&record, Version::Live, &policy).pages().count()
        }),
    );
    say("sample: proofs", time(10, || form.prove()));
    say("sample: check with proofs", time(5, || form.check()));
    say("sample: all paths", time(10, || form.paths(1_000)));
    let (record, _) = sized(100);
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, &policy);
    say("100 pages: check with proofs", time(1, || form.check()));
}

fn walks(pages: usize, count: u32, naive_count: u32) {
    let (value, answers) = sized(pages);
    let record: FormRecord = serde_json::from_str(&value.to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    let typed: Answers = serde_json::from_str(&answers.to_string()).unwrap();
    let naive = Naive::new(&value, false);
    // The walk must reach the ending, or the comparison would be meaningless.
    assert!(matches!(form.walk(&typed).outcome(), Outcome::Finished(finish) if finish.id == Some("thanks")));
    assert_eq!(form.walk(&typed).steps().count(), pages);
    assert_eq!(naive.walk(&answers).path.len(), pages);

    let (best, median) = time(count, || form.walk(&typed));
    let per_second = |walk: Duration| 1.0 / walk.as_secs_f64();
    println!(
        "{pages} pages: {best:?} per walk, {:.0} walks/s; median {:.0} walks/s",
        per_second(best),
        per_second(median)
    );
    let (naive, _) = time(naive_count, || naive_walk(&naive, &answers));
    println!("{pages} pages: {:.0} times as fast as the naive interpreter", naive.as_secs_f64() / best.as_secs_f64());
    let region = Region::new(ALLOCATOR);
    black_box(form.walk(&typed));
    let change = region.change();
    println!("{pages} pages: {} allocations per walk, {} bytes", change.allocations, change.bytes_allocated);
}

fn naive_walk(naive: &Naive<'_>, answers: &Value) -> usize {
    naive.walk(answers).path.len()
}

/// Returns the best and the median duration of a call over all rounds.
fn time<T>(calls: u32, mut call: impl FnMut() -> T) -> (Duration, Duration) {
    let mut rounds: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                black_box(call());
            }
            start.elapsed() / calls
        })
        .collect();
    rounds.sort();
    (rounds.first().copied().unwrap_or_default(), rounds.get(ROUNDS / 2).copied().unwrap_or_default())
}
