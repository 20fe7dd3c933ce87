//! Runs simulations of clients and a server with many seeds.
//!
//! ```text
//! cargo run -p leadapi-tests --bin simulate -- [SEEDS [FIRST]]
//! ```
//!
//! By default, the program runs the seeds 0 to 999, each over HTTP/1 and HTTP/2. If `LEADAPI_TEST_SIMULATED_MINUTES` is
//! set, the program instead runs seeds until the simulated time reaches this number of minutes. It prints the error of
//! each failed run, and the totals of the other runs for each protocol. It stops after 100 failures. The exit status is
//! 1 if a run failed.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a failed unwrap ends the program")]

use std::{env, process::ExitCode, time::Duration};

use leadapi_tests::{
    scale,
    simulation::{Faults, Protocol, Simulation, Trace},
};

/// The number of failed runs after which the program stops.
const MAX_FAILED: u64 = 100;

fn main() -> ExitCode {
    if let Some(trace) = Simulation::run_from_environment() {
        println!("{trace}");
        return ExitCode::SUCCESS;
    }
    let mut numbers = env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let (count, first) = (numbers.next().unwrap_or(1_000), numbers.next().unwrap_or(0));
    let enough = Duration::from_secs(60 * scale::from_env::<u64>("LEADAPI_TEST_SIMULATED_MINUTES", 0));
    let program = env::current_exe().unwrap();
    let mut totals = [(Protocol::Http1, Trace::default()), (Protocol::Http2, Trace::default())];
    let (mut runs, mut failed) = (0, 0);
    for seed in first.. {
        let simulated: Duration = totals.iter().map(|(_, total)| total.simulated).sum();
        let is_done = if enough.is_zero() { seed == first + count } else { simulated >= enough };
        if is_done || failed >= MAX_FAILED {
            break;
        }
        for (protocol, total) in &mut totals {
            runs += 1;
            match (Simulation { seed, protocol: *protocol, faults: Faults::All }).run(program.to_str().unwrap()) {
                Ok(trace) => total.add(&trace),
                Err(error) => {
                    println!("{error}");
                    failed += 1;
                }
            }
        }
    }
    for (protocol, Trace { requests, calls, crashes, drains, simulated }) in totals {
        scale::print_figures(format!(
            "{protocol:?}: {} minutes simulated, {calls} calls in {requests} requests, {crashes} crashes, {drains} \
             graceful shutdowns",
            simulated.as_secs() / 60
        ));
    }
    scale::print_figures(format!("{failed} of {runs} simulated runs failed"));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
