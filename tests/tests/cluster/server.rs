//! Runs a server process.

use std::process::{Command, Stdio};

use leadapi_tests::{ServerProcess, serve_with_rate_limits};

/// The number of servers in each test.
pub(crate) const SERVERS: usize = 3;

/// Starts a server with one business, whose client account is `c1`.
pub(crate) fn start(settings: &[&str], token: &str) -> ServerProcess {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    // Discards the log, because it would contain a line for each request.
    serve_with_rate_limits(command.arg("serve").args(settings).stderr(Stdio::null()), &[token])
}
