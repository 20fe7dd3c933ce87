//! Runs a server process.

use std::process::{Child, Command, Stdio};

use leadapi_tests::serve_with_rate_limits;

/// The number of servers in each test.
pub(crate) const SERVERS: usize = 3;

/// A server process. It is killed when this value is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Server {
    /// Starts a server with one business, whose client account is `c1`.
    pub(crate) fn start(settings: &[&str], token: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        // Discards the log, because it would contain a line for each request.
        let command = command.arg("serve").args(settings).stderr(Stdio::null());
        let (child, url) = serve_with_rate_limits(command, &[token]);
        Self { child, url }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}
