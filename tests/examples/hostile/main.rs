//! Attacks a server at full scale and prints measurements, such as the latency of honest requests. The program reads `/proc`, so it runs only on Linux.
//!
//! ```text
//! cargo build --release -p leadapi-tests --bin server --example hostile
//! target/release/examples/hostile target/release/server connections|lifted|floods|stops [KIND]…
//! ```
//!
//! - `connections`: 2,000 peers of each kind at the default timeouts of 10 s, together with legitimate traffic.
//! - `lifted`: the same, but the timeout that cuts off each kind of peer is disabled, to prove that the attack has an
//!   effect without the timeout.
//! - `floods`: each HTTP/2 flood for a few seconds.
//! - `stops`: 200 SIGTERMs under load with a short drain delay, and a few with the default delay.
//!
//! `LEADAPI_TEST_HOSTILE_PEERS` and `LEADAPI_TEST_STOPS` set other numbers of peers and SIGTERMs.
//!
//! The figure for legitimate traffic is the 99th percentile of its latency. Other load on the machine raises it; run
//! the command with `chrt -r 1` to avoid that. The program and the server each need two file descriptors for each peer.
//! The exit status is 1 if a check fails.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap ends the tool"
)]

mod connections;
mod floods;
mod stops;

use std::{env, path::PathBuf, process::ExitCode, time::Duration};

use leadapi_tests::hostile::Report;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let program: PathBuf = arguments.next().expect("the program under attack").into();
    let what = arguments.next().unwrap_or_default();
    let names: Vec<String> = arguments.collect();
    let wrong = match what.as_str() {
        "connections" => connections::run(&program, &names, false).await,
        "lifted" => connections::run(&program, &names, true).await,
        "floods" => floods::run(&program, &names).await,
        "stops" => stops::run(&program).await,
        other => panic!("unknown attack: {other}"),
    };
    println!("wrong: {wrong}");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A 99th percentile below this value counts as normal, because the attack runs on the same CPU as the server.
const NORMAL: Duration = Duration::from_millis(5);

/// Returns whether an attack affects legitimate traffic: a request failed, or the 99th percentile is no longer normal
/// and has at least doubled.
fn is_affected(quiet: &Report, attacked: &Report) -> bool {
    !attacked.failed.is_empty() || attacked.quantile(0.99) >= NORMAL.max(2 * quiet.quantile(0.99))
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn mb(bytes: usize) -> usize {
    bytes >> 20
}
