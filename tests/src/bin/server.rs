//! The server as a process, for tests that kill it. It has the same command line as `leadapi-server`.
#![allow(clippy::print_stderr, reason = "a program says on stderr why it ends")]

use std::process::ExitCode;

use leadapi_server::cli::Cli;

#[tokio::main]
async fn main() -> ExitCode {
    match Cli::read().run().await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("leadapi-server: {error}");
            ExitCode::FAILURE
        }
    }
}
