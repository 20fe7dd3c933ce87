//! The server as a separate process, for tests that kill it. Takes the same command line as `leadapi-server`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    leadapi_server::cli::main().await
}
