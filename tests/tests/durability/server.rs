//! A server on a SQLite file, as a process.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use leadapi_client::{
    Client, Pacing, RetryPolicy,
    model::{LeadQuery, Window},
};
use leadapi_tests::secret;

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) client: Client,
    /// From its start to its first answer.
    pub(crate) took: Duration,
}

impl Server {
    /// Starts it on the file `leads.db` of a folder, which begins with one business. `prepare` may change the command.
    pub(crate) async fn start(folder: &Path, prepare: impl FnOnce(&mut Command)) -> Self {
        let token = secret("durability");
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
        command.arg("--store").arg(format!("sqlite:{}", folder.join("leads.db").display()));
        command.arg("--data").arg(data.path()).stdout(Stdio::piped());
        prepare(&mut command);
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find_map(|line| line.unwrap().split_once("listens at ").map(|(_, rest)| rest.to_owned()));
        let url = line.expect("it listens").split(' ').next().unwrap().to_owned();
        let client = Client::builder(url, token).pacing(Pacing::off()).retry(RetryPolicy::none()).build().unwrap();
        client.leads().list(&LeadQuery::new().window(Window::new(1, 0).unwrap())).await.unwrap();
        Self { child, client, took: begun.elapsed() }
    }

    /// SIGKILL: it has no last word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The names and ids of all leads.
    pub(crate) async fn all(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        loop {
            let window = Window::new(200, all.len() as u64).unwrap();
            let page = self.client.leads().list(&LeadQuery::new().window(window)).await.unwrap();
            if page.data.is_empty() {
                assert_eq!(page.total, all.len() as u64, "the total is exact");
                return all;
            }
            all.extend(page.data.into_iter().map(|lead| (lead.name, lead.id.to_string())));
        }
    }
}

/// A test that fails leaves no server behind.
impl Drop for Server {
    fn drop(&mut self) {
        // One that was killed before is gone already.
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}
