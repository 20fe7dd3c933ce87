//! The binary: reads the command line, starts the log, runs the command.

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use clap::Parser;
use leadapi_server::cli::Cli;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("LEADAPI_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();
    match cli.run().await {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the log may be filtered, and this must be read")]
fn report(error: &dyn std::error::Error) {
    eprintln!("leadapi-server: {error}");
}
