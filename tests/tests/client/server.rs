//! A server process with an in-memory store.

use std::process::Command;

use leadapi_client::{Client, ClientBuilder, Pacing};
use leadapi_tests::{ServerProcess, secret, serve_one_business};

/// A running server without rate limits. Its only business has the client account `c1` and a token.
pub(crate) struct Server {
    process: ServerProcess,
    pub(crate) token: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let token = secret("client");
        let process = serve_one_business(Command::new(env!("CARGO_BIN_EXE_server")).arg("serve"), &token);
        Self { process, token }
    }

    pub(crate) fn address(&self) -> &str {
        &self.process.address
    }

    /// Returns a client builder for this address, which may belong to a proxy in front of the server. Client-side rate
    /// limiting is off, because the server has no limits.
    pub(crate) fn client(&self, address: &str) -> ClientBuilder {
        Client::builder(format!("http://{address}/v1"), self.token.as_str()).pacing(Pacing::off())
    }
}
