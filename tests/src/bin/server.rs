//! The server as a separate process, for tests that kill it. Takes the same command line as `leadapi`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    leadapi::main().await
}
