//! A server in memory, as a process.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use leadapi_client::{Builder, Client, Pacing};
use leadapi_tests::secret;

/// A running server without limits, with one business, its client account `c1` and a token.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let token = secret("client");
        let data = tempfile::NamedTempFile::new().unwrap();
        let business = format!(
            r#"{{"businesses": [{{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
                "clients": [{{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}}],
                "tokens": [{{"name": "t", "scopes": ["read", "write"], "token": "{token}"}}]}}]}}"#
        );
        fs::write(data.path(), business).unwrap();
        let many = u32::MAX.to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--reads-per-minute", &many, "--writes-per-minute", &many]);
        let mut child = command.arg("--data").arg(data.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find_map(|line| line.unwrap().split_once("listens at ").map(|(_, rest)| rest.to_owned()));
        let url = line.expect("it listens").split(' ').next().unwrap().to_owned();
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
