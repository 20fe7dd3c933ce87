//! Replaces three servers on one PostgreSQL database one after another, without losing a request.

use std::{
    fs,
    process::{Command, Stdio},
};

use http::{Method, StatusCode};
use leadapi_tests::{ServerProcess, free_address, postgres::Cluster, wait_until};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{
    balancer::{Addresses, Balancer},
    callers::{CALLERS, Callers, Connection, Seen, token},
    files::environment,
    ops::{is_ready, samples},
};

const SERVERS: usize = 3;

/// The environment variables that configure the servers.
type Settings = Vec<(String, String)>;

/// A server process with its addresses and its log.
struct Server(ServerProcess, Addresses, NamedTempFile);

impl Server {
    /// Starts a server, and waits until it is ready.
    fn start(store: &str, addresses: Addresses, settings: &Settings) -> Self {
        let log = NamedTempFile::new().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--listen", &addresses.api.to_string(), "--ops-listen", &addresses.ops.to_string()]);
        command.args(["--reads-per-minute", "1000000", "--writes-per-minute", "1000000"]);
        // Omits the log line for each request.
        command.args(["--log", "info,leadapi_server::middleware=off"]).envs(settings.iter().cloned());
        command.env("LEADAPI_STORE", store).stderr(log.reopen().unwrap());
        let process = ServerProcess::spawn(&mut command);
        wait_until("a server is ready", || is_ready(addresses.ops));
        Self(process, addresses, log)
    }

    /// Stops the server as a service manager does, and starts a new one on the same addresses.
    fn replace(mut self, store: &str, settings: &Settings) -> Self {
        wait_until("a server has answered requests", || self.answered() > 0.0);
        self.0.signal("TERM");
        let status = self.0.wait();
        assert!(status.success(), "{status}: {}", fs::read_to_string(self.2.path()).unwrap());
        Self::start(store, self.1, settings)
    }

    /// Returns the number of API requests that the server has answered.
    fn answered(&self) -> f64 {
        let samples = samples(self.1.ops).into_iter();
        samples.filter(|(name, ..)| name == "leadapi_requests_total").map(|(.., value)| value).sum()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn haproxy_loses_no_request_with_the_packaged_configuration() {
    // The packaged configuration is written for the default settings.
    update(Balancer::http, Settings::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tcp_load_balancer_loses_no_request_with_the_kubernetes_settings() {
    update(Balancer::tcp, environment("kubernetes/settings.env")).await;
}

/// Replaces each server in turn while callers create and read leads through the balancer.
async fn update(balancer: fn(&[Addresses]) -> Option<Balancer>, settings: Settings) {
    let Some(cluster) = Cluster::shared() else { return };
    let store = cluster.url(&cluster.create_database("rolling_update").await);
    import(&store);
    let addresses = [(); SERVERS].map(|()| Addresses { api: free_address(), ops: free_address() });
    let servers = addresses.map(|addresses| Server::start(&store, addresses, &settings));
    let Some(balancer) = balancer(&addresses) else { return };

    let callers = Callers::start(balancer.address);
    let mut replaced = Vec::new();
    for server in servers {
        let (store, settings) = (store.clone(), settings.clone());
        replaced.push(tokio::task::spawn_blocking(move || server.replace(&store, &settings)).await.unwrap());
    }
    let Seen { created, reads, failures } = callers.end().await;
    assert!(failures.is_empty(), "{} of {} requests: {failures:#?}", failures.len(), created.len() + reads);
    assert!(created.len() > 500 && reads > 1_000, "only {} leads were created and {reads} read", created.len());
    let created: Vec<(String, String)> = created.into_iter().collect();
    assert_eq!(leads(addresses[0]).await, created, "each acknowledged lead must exist exactly once");
}

/// Imports a business with a client account and a token for each caller.
fn import(store: &str) {
    let tokens: Vec<Value> = (0..CALLERS)
        .map(|nth| json!({ "name": format!("t{nth}"), "scopes": ["read", "write"], "token": token(nth) }))
        .collect();
    let at = "2026-01-01T00:00:00Z";
    let client = json!({ "id": "c1", "name": "C", "created_at": at });
    let business = json!({ "id": "b1", "name": "B", "created_at": at, "clients": [client], "tokens": tokens });
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), json!({ "businesses": [business] }).to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["data", "import"]).arg(file.path()).env("LEADAPI_STORE", store).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
}

/// Returns the name and id of each lead, sorted by name.
async fn leads(server: Addresses) -> Vec<(String, String)> {
    let mut connection = Connection::new(server.api, 0);
    let mut all = Vec::new();
    loop {
        let path = format!("/leads?limit=200&offset={}", all.len());
        let page = connection.call(Method::GET, &path, None, StatusCode::OK).await.unwrap();
        let text = |lead: &Value, field: &str| lead[field].as_str().unwrap().to_owned();
        let page = page["data"].as_array().unwrap();
        if page.is_empty() {
            all.sort();
            return all;
        }
        all.extend(page.iter().map(|lead| (text(lead, "name"), text(lead, "id"))));
    }
}
