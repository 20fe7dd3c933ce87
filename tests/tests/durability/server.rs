//! Runs a server process on a SQLite file.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use leadapi_client::{
    Client, Pacing, RetryPolicy,
    model::{LeadQuery, Window},
};
use leadapi_tests::{ServerProcess, secret, serve_one_business};

/// A running server.
pub(crate) struct Server {
    pub(crate) process: ServerProcess,
    pub(crate) client: Client,
    /// The time from the start of the process to its first response.
    pub(crate) took: Duration,
}

impl Server {
    /// Starts a server that stores its leads in the file `leads.db` in `folder`. If the file is new, adds one business.
    /// `prepare` may modify the command.
    pub(crate) async fn start(folder: &Path, prepare: impl FnOnce(&mut Command)) -> Self {
        let token = secret("durability");
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        prepare(&mut command);
        let begun = Instant::now();
        let store = format!("sqlite:{}", folder.join("leads.db").display());
        let process = serve_one_business(command.args(["serve", "--store", &store]), &token);
        let client =
            Client::builder(&*process.url, token).pacing(Pacing::off()).retry(RetryPolicy::none()).build().unwrap();
        client.leads().list(&LeadQuery::new().window(Window::new(1, 0).unwrap())).await.unwrap();
        Self { process, client, took: begun.elapsed() }
    }

    /// Kills the server with SIGKILL, so that it cannot clean up.
    pub(crate) fn kill(mut self) {
        self.process.kill();
    }

    /// Returns the names and ids of all leads.
    pub(crate) async fn all(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        loop {
            let window = Window::new(200, all.len() as u64).unwrap();
            let page = self.client.leads().list(&LeadQuery::new().window(window)).await.unwrap();
            if page.data.is_empty() {
                assert_eq!(page.total, all.len() as u64, "the total must be exact");
                return all;
            }
            all.extend(page.data.into_iter().map(|lead| (lead.name, lead.id.to_string())));
        }
    }
}
