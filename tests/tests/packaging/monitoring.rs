//! Checks that the alert rules and the dashboard use only metrics and labels that a server exposes, that they use every
//! metric, and that the runbook has a section for each alert.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Command, Stdio},
};

use leadapi_tests::{ServerProcess, secret, serve_with_rate_limits, wait_until};
use reqwest::{Client, StatusCode};
use rusqlite::Connection;
use serde_json::Value;

use crate::{
    files::packaged,
    ops::{Sample, get, samples},
    selectors::{Selector, grouping_labels, recorded, selectors},
};

/// The labels that Prometheus adds to every sample.
const TARGET_LABELS: [&str; 2] = ["job", "instance"];

/// A server process with an operator listener.
struct Server {
    process: ServerProcess,
    ops: SocketAddr,
}

impl Server {
    fn start(arguments: &[&str], token: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--ops-listen", "127.0.0.1:0"]).args(arguments).stderr(Stdio::null());
        let process = serve_with_rate_limits(&mut command, &[token]);
        let ops = process.listener("operator endpoints").unwrap().parse().unwrap();
        Self { process, ops }
    }

    /// Opens a connection, sends these bytes and waits until the server closes it.
    fn send_until_closed(&self, bytes: &[u8]) {
        let mut stream = TcpStream::connect(&self.process.address).unwrap();
        stream.write_all(bytes).unwrap();
        // The server may reset the connection.
        stream.read_to_end(&mut Vec::new()).unwrap_or_default();
    }

    /// Returns the samples once they contain these strings. The server counts a connection only after closing it.
    fn samples_with(&self, texts: &[&str]) -> Vec<Sample> {
        wait_until("the server has counted the closed connections", || {
            let page = get(self.ops, "/metrics").unwrap();
            texts.iter().all(|text| page.contains(text))
        });
        samples(self.ops)
    }
}

/// A series that a server exposes: its name and its labels.
type Series = (String, Vec<(String, String)>);

/// Returns the series that servers expose after successful, refused, failed and interrupted requests.
async fn exposed() -> Vec<Series> {
    let mut samples = busy_server().await;
    samples.extend(tls_server());
    samples
        .into_iter()
        .map(|(name, labels, _)| {
            let labels = labels.split(',').filter_map(|label| label.split_once('='));
            (name, labels.map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned())).collect())
        })
        .collect()
}

/// Causes successful responses, a failed store call, a rate-limited request and a connection that the server cuts off.
/// Returns the samples of the server.
async fn busy_server() -> Vec<Sample> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("leads.db");
    let (store, token) = (format!("sqlite:{}", file.display()), secret("monitored"));
    let server = Server::start(&["--store", &store, "--writes-per-minute", "2", "--head-timeout", "100ms"], &token);
    let leads = format!("{}/leads", server.process.url);
    let create = async || {
        let body = r#"{"client_id": "c1", "name": "Ann"}"#;
        Client::new().post(&leads).bearer_auth(&token).body(body).send().await.unwrap().status()
    };
    assert_eq!(Client::new().get(&leads).bearer_auth(&token).send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(create().await, StatusCode::CREATED);
    {
        let other = Connection::open(&file).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert_eq!(create().await, StatusCode::INTERNAL_SERVER_ERROR);
    }
    assert_eq!(create().await, StatusCode::TOO_MANY_REQUESTS);
    server.send_until_closed(b"GET");
    server.samples_with(&["leadapi_connections_cut_total{"])
}

/// Causes two failed handshakes: one that is not TLS, and one that a newer handshake evicts. Returns the samples of the
/// server.
fn tls_server() -> Vec<Sample> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(path("cert.pem"), identity.cert.pem()).unwrap();
    fs::write(path("key.pem"), identity.signing_key.serialize_pem()).unwrap();
    let files = ["--tls-cert", &path("cert.pem"), "--tls-key", &path("key.pem"), "--max-handshakes", "1"];
    let server = Server::start(&files, &secret("monitored"));
    server.send_until_closed(b"GET / HTTP/1.1\r\n\r\n");
    let (_, rest) = server.process.url.split_once("://").unwrap();
    let _open = [(); 2].map(|()| TcpStream::connect(rest.split('/').next().unwrap()).unwrap());
    server.samples_with(&[r#"{reason="failed"}"#, r#"{reason="crowded"}"#])
}

/// Returns each expression in the dashboard and in the alert rules.
fn expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&packaged("grafana/leadapi.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    let mut all: Vec<String> = targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect();
    assert!(all.len() > 20, "{all:?}");
    let variables = dashboard["templating"]["list"].as_array().unwrap().iter();
    all.extend(variables.filter_map(|variable| Some(variable["query"]["query"].as_str()?.to_owned())));

    let rules = packaged("prometheus/alerts.yaml");
    let rules = rules.split("expr:").skip(1).map(|rest| {
        let ends = ["\n        for:", "\n        labels:", "\n      - "].iter().filter_map(|end| rest.find(end));
        rest[..ends.min().unwrap_or(rest.len())].to_owned()
    });
    all.extend(rules);
    all
}

#[tokio::test]
async fn the_alerts_and_the_dashboard_use_metrics_that_exist() {
    let (exposed, recorded) = (exposed().await, recorded(&packaged("prometheus/alerts.yaml")));
    let mut wrong = BTreeSet::new();
    let mut used = BTreeSet::new();
    for expression in expressions() {
        let mut known: BTreeSet<&str> = TARGET_LABELS.into();
        for Selector { name, matchers } in selectors(&expression) {
            if recorded.contains(&name) || name == "up" {
                continue;
            }
            let series: Vec<_> = exposed.iter().filter(|(exposed, _)| *exposed == name).collect();
            if series.is_empty() {
                wrong.insert(format!("{name} does not exist"));
            }
            let labels = || series.iter().flat_map(|(_, labels)| labels);
            known.extend(labels().map(|(label, _)| label.as_str()));
            for (label, operator, value) in &matchers {
                let exists = match operator.as_str() {
                    "=" => labels().any(|(exposed, found)| exposed == label && found == value),
                    _ => labels().any(|(exposed, _)| exposed == label),
                };
                if !TARGET_LABELS.contains(&label.as_str()) && !exists {
                    wrong.insert(format!("no series of {name} matches {label}{operator}{value:?}"));
                }
            }
            used.insert(name);
        }
        let labels = grouping_labels(&expression).into_iter().filter(|label| !known.contains(label.as_str()));
        wrong.extend(labels.map(|label| format!("no metric in this expression has {label}: {expression}")));
    }
    assert_eq!(wrong, BTreeSet::new());

    // The dashboard or an alert rule must use every metric, except the sums of histograms.
    let families = exposed.iter().map(|(name, _)| name.as_str()).filter(|name| !name.ends_with("_sum"));
    let unused: BTreeSet<_> = families.filter(|name| !used.contains(*name)).collect();
    assert_eq!(unused, BTreeSet::new());
}

/// Each alert must link to an existing section of the runbook.
#[test]
fn each_alert_has_a_section_in_the_runbook() {
    let (rules, readme) = (packaged("prometheus/alerts.yaml"), packaged("README.md"));
    let headings = readme.lines().filter_map(|line| line.strip_prefix("### "));
    let headings: Vec<String> = headings.map(str::to_ascii_lowercase).collect();
    let links: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("runbook: ")).collect();
    assert_eq!(links.len(), rules.matches("- alert: ").count());
    for link in links {
        let (file, section) = link.split_once('#').unwrap();
        assert_eq!(file, "leadapi-server/cli/packaging/README.md");
        assert!(headings.iter().any(|heading| heading == section), "{link} is a broken link");
    }
}
