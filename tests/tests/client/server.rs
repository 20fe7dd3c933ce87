//! A server process with an in-memory store.

use std::process::{Child, Command};

use leadapi_client::{Client, ClientBuilder, Pacing};
use leadapi_tests::{secret, serve_one_business};

/// A running server without rate limits. Its only business has the client account `c1` and a token.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let token = secret("client");
        let (child, url) = serve_one_business(Command::new(env!("CARGO_BIN_EXE_server")).arg("serve"), &token);
        let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        Self { child, address, token }
    }

    /// Returns a client builder for this address, which may belong to a proxy in front of the server. Client-side rate
    /// limiting is off, because the server has no limits.
    pub(crate) fn client(&self, address: &str) -> ClientBuilder {
        Client::builder(format!("http://{address}/v1"), self.token.as_str()).pacing(Pacing::off())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
