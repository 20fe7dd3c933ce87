//! Runs simulations of clients and a server with many seeds.
//!
//! ```text
//! cargo run -p leadapi-tests --bin simulate -- [SEEDS [FIRST]]
//! ```
//!
//! By default, the program runs the seeds 0 to 999, each over HTTP/1 and HTTP/2. It prints the error of each failed
//! run, and the totals of the other runs for each protocol. The exit status is 1 if a run failed.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a failed unwrap ends the program")]

use std::{env, process::ExitCode};

use leadapi_tests::simulation::{Faults, Protocol, Simulation, Trace};

fn main() -> ExitCode {
    if let Some(trace) = Simulation::run_from_environment() {
        println!("{trace}");
        return ExitCode::SUCCESS;
    }
    let mut numbers = env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let (count, first) = (numbers.next().unwrap_or(1_000), numbers.next().unwrap_or(0));
    let program = env::current_exe().unwrap();
    let mut failed = 0;
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let mut total = Trace::default();
        for seed in first..first + count {
            match (Simulation { seed, protocol, faults: Faults::All }).run(program.to_str().unwrap()) {
                Ok(trace) => total.add(&trace),
                Err(error) => {
                    println!("{error}");
                    failed += 1;
                }
            }
        }
        println!("{protocol:?}: {total:?}");
    }
    println!("{failed} of {} runs failed", 2 * count);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
