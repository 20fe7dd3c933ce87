//! Checks a server against the contract, and reports which requirements it meets.
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "the program prints its findings")]

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use leadapi_core::BoxError;
use leadapi_testkit::conformance::{self, Target};

/// Checks a server against each requirement of the contract, and prints which ones it meets.
///
/// The exit status is 0 if the server violates no requirement, 1 if it does, and 2 if the check could not run. Start
/// the server with the data set of the target, and preferably with raised rate limits:
///
///   leadapi serve --data leadapi-client/testkit/conformance/dataset.json --reads-per-minute 100000
///   --writes-per-minute 100000
#[derive(Debug, Parser)]
#[command(name = "contract", verbatim_doc_comment)]
struct Arguments {
    /// The base URL; leadapi's default is <http://127.0.0.1:8080/v1>.
    #[arg(long)]
    url: String,
    /// A JSON file with the tokens and ids of the server's data set. Defaults to the standard data set.
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,
    /// Also write the report to this file as `JUnit` XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also check the rate limits. The checks take about three more minutes and need a server with the contract's
    /// limits.
    #[arg(long)]
    rate_limits: bool,
    /// The timeout of each request, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    timeout: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match check(Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("contract: {error}");
            ExitCode::from(2)
        }
    }
}

async fn check(arguments: Arguments) -> Result<bool, BoxError> {
    let target = match arguments.target {
        Some(path) => {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            Target::parse(&text)?
        }
        None => Target::standard(),
    };
    let target = target.timeout(Duration::from_secs(arguments.timeout));
    let target = if arguments.rate_limits { target.with_rate_limits() } else { target };
    let client = target.client(&arguments.url).build()?;
    let report = conformance::run(&client, &target).await;
    println!("{report}");
    if let Some(path) = arguments.junit {
        fs::write(&path, report.to_junit()?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(report.holds())
}
