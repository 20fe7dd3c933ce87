//! A server in memory, as a process.

use std::process::{Child, Command};

use leadapi_client::{Builder, Client, Pacing};
use leadapi_tests::{secret, serve_one_business};

/// A running server without limits, with one business, its client account `c1` and a token.
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

    /// A client of what listens at an address, be it the server or a proxy before it; not paced, as there are no limits.
    pub(crate) fn client(&self, address: &str) -> Builder {
        Client::builder(format!("http://{address}/v1"), self.token.as_str()).pacing(Pacing::off())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
