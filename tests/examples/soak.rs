//! Loads a server steadily for an hour, and checks that its memory, descriptors, threads and response times stay the
//! same. The program reads `/proc`, so it runs only on Linux.
//!
//! ```text
//! cargo build --release -p leadapi-tests --bin server --example soak
//! target/release/examples/soak target/release/server
//! ```
//!
//! `LEADAPI_TEST_SOAK_SECONDS` overrides the duration. The server keeps its data in SQLite, and receives about 300
//! requests per second, a third of them creates. The load pauses 60 times. In each pause all connections close, and the
//! program takes a sample of the server. The first ten samples are a warm-up. The program compares the first third of
//! the remaining samples with the last third. The exit status is 1 if a check fails.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap ends the program"
)]

use std::{
    env,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use leadapi_tests::{
    eventually,
    hostile::{Good, Target},
    scale,
};
use tokio::time::timeout;

/// The default duration in seconds.
const SECONDS: u32 = 60 * 60;
const SAMPLES: u32 = 60;
const WARM_UP: usize = 10;
/// The allowed growth of memory in bytes, because allocators do not return all memory at once. A leak of 10 bytes per
/// request exceeds it within an hour.
const TOLERANCE: usize = 2 << 20;
/// The time limit for the server to close all connections in a pause.
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// The state of the server in a pause of the load, and the results of the load before the pause.
struct Sample {
    memory: usize,
    descriptors: usize,
    threads: usize,
    p99: Duration,
    answered: usize,
    failed: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let program: PathBuf = env::args().nth(1).expect("the server").into();
    let duration = Duration::from_secs(scale::from_env("LEADAPI_TEST_SOAK_SECONDS", SECONDS).into());
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("leads.db").display());
    let options = ["--log", "warn", "--store", &store].map(str::to_owned);
    let target = Target::start(&program, &options, false, None);
    println!("sample  memory kB  descriptors  threads   p99 ms  answered  failed");
    let (begun, mut samples) = (Instant::now(), Vec::<Sample>::new());
    for nth in 1..=SAMPLES {
        let idle = samples.last().map_or_else(|| target.descriptors(), |sample| sample.descriptors);
        let sample = Sample::take(&target, duration / SAMPLES, idle).await;
        println!(
            "{nth:>6} {:>10} {:>12} {:>8} {:>8.2} {:>9} {:>7}",
            sample.memory >> 10,
            sample.descriptors,
            sample.threads,
            sample.p99.as_secs_f64() * 1e3,
            sample.answered,
            sample.failed.len()
        );
        samples.push(sample);
    }
    let wrong = check(&samples, begun.elapsed());
    for wrong in &wrong {
        println!("wrong: {wrong}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Sample {
    /// Loads the server for this time, waits until it has as few open descriptors as before the load, and takes a
    /// sample.
    async fn take(target: &Target, time: Duration, idle: usize) -> Self {
        let good = Good::during(target, time).await;
        let closed = eventually("the connections are closed", async || target.descriptors() <= idle);
        // If a connection stays open, the sample shows it.
        let _ = timeout(CLOSE_TIME, closed).await;
        Self {
            memory: target.resident(),
            descriptors: target.descriptors(),
            threads: target.threads(),
            p99: good.quantile(0.99),
            answered: good.answered(),
            failed: good.failed,
        }
    }
}

/// Prints the figures, and returns a description of everything that grew or failed.
fn check(samples: &[Sample], took: Duration) -> Vec<String> {
    let steady = &samples[WARM_UP..];
    let third = steady.len() / 3;
    let (first, last) = (&steady[..third], &steady[steady.len() - third..]);
    let mut wrong = Vec::new();
    // If a value keeps growing, all of its late values exceed all of its early values.
    let mut compare = |name: &str, of: fn(&Sample) -> usize, tolerance: usize| {
        let (before, after) = (first.iter().map(of).max().unwrap(), last.iter().map(of).min().unwrap());
        if after > before + tolerance {
            wrong.push(format!("{name} grew from at most {before} to at least {after}"));
        }
        format!("{name} at most {before} in the first third and at least {after} in the last")
    };
    let memory = compare("resident kB", |sample| sample.memory >> 10, TOLERANCE >> 10);
    let descriptors = compare("descriptors", |sample| sample.descriptors, 0);
    let threads = compare("threads", |sample| sample.threads, 0);
    let (before, after) = (median_p99(first), median_p99(last));
    if after > 2 * before {
        wrong.push(format!("the median p99 rose from {before:.2?} to {after:.2?}"));
    }
    let failed: Vec<&String> = samples.iter().flat_map(|sample| &sample.failed).collect();
    if let Some(error) = failed.first() {
        wrong.push(format!("{} requests failed, the first with: {error}", failed.len()));
    }
    let answered: usize = samples.iter().map(|sample| sample.answered).sum();
    scale::print_figures(format!(
        "{} s of load, {answered} requests answered, {} failed; after the warm-up: {memory}; {descriptors}; {threads}; \
         median p99 {before:.2?}, then {after:.2?}",
        took.as_secs(),
        failed.len()
    ));
    wrong
}

fn median_p99(samples: &[Sample]) -> Duration {
    let mut all: Vec<Duration> = samples.iter().map(|sample| sample.p99).collect();
    all.sort();
    all[all.len() / 2]
}
