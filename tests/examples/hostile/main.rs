//! Attacks on a server in full, with figures. It looks into `/proc`, so it is for Linux.
//!
//! ```text
//! cargo build --release -p leadapi-tests --bin server --example hostile
//! target/release/examples/hostile target/release/server connections|lifted|floods|stops [KIND]…
//! ```
//!
//! - `connections`: 2,000 peers of each kind at the default limits of 10 s, beside good traffic.
//! - `lifted`: the same with the limit that ends each kind out of reach, to see that its absence is seen.
//! - `floods`: HTTP/2 that costs much, some seconds of each.
//! - `stops`: 200 SIGTERM under load with a short drain delay, and a few with the usual one.
//!
//! What good traffic bears is told by its 99th percentile, to which a machine with other work adds its own: `chrt -r 1`
//! before the command keeps that out. It needs some 5,000 file descriptors. The exit
//! status is 1 where something is not as it must be.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool of the tests stops where something is not as it must be"
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
        other => panic!("{other} is none of the attacks"),
    };
    println!("wrong: {wrong}");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What good traffic must bear, whatever goes on beside it: twice its quiet time, and no failure.
fn suffers(quiet: &Report, attacked: &Report) -> bool {
    !attacked.failed.is_empty() || attacked.quantile(0.99) >= 2 * quiet.quantile(0.99)
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn mb(bytes: usize) -> usize {
    bytes >> 20
}
