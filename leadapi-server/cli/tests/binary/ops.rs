//! Tests of the operator listener of a running server.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
};

use serde_json::{Value, json};

use crate::process::{BINARY, Database, SECRET, ServerProcess, data_file, refused, wait_until};

struct Ops(String);

impl Ops {
    fn of(server: &ServerProcess) -> Self {
        Self(server.listener("operator endpoints").unwrap().to_owned())
    }

    fn get(&self, path: &str) -> String {
        self.request(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    }

    fn request(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.0).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn wait_until_not_ready(&self) {
        wait_until("the server is not ready", || !self.get("/readyz").starts_with("HTTP/1.1 200"));
    }

    /// Returns the value of the metric whose line starts with this text.
    fn count(&self, line: &str) -> f64 {
        let metrics = self.get("/metrics");
        let value = metrics.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("{line}: {metrics}")).parse().unwrap()
    }
}

fn serve(database: &Database) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--store", &database.store]);
    command
}

#[test]
fn health_readiness_and_metrics_are_served() {
    let database = Database::of_the_sample();
    let token = database.token();
    let server = ServerProcess::start(serve(&database).args(["--writes-per-minute", "1"]));
    let ops = Ops::of(&server);
    assert!(ops.get("/healthz").ends_with("\r\n\r\nalive\n"));
    assert!(ops.get("/readyz").ends_with("\r\n\r\nready\n"));
    let index = ops.get("/");
    for path in index.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(ops.get(path).starts_with("HTTP/1.1 200"), "{path}");
    }
    assert_eq!(index.matches("href=").count(), 4, "{index}");

    assert_eq!(server.status("/v1/leads", &token), "200");
    assert_eq!(server.status("/v1/leads/nobody", &token), "404");
    assert_eq!(server.status("/v1/nowhere", &token), "404");
    server.post(&token, "", &crate::process::lead("Ann"));
    assert!(server.post(&token, "", &crate::process::lead("Ann")).starts_with("HTTP/1.1 429"));
    for (line, expected) in [
        (r#"leadapi_requests_total{operation="list_leads",status="2xx"}"#, 1.0),
        (r#"leadapi_requests_total{operation="get_lead",status="4xx"}"#, 1.0),
        (r#"leadapi_requests_total{operation="none",status="4xx"}"#, 1.0),
        (r#"leadapi_requests_total{operation="create_lead",status="2xx"}"#, 1.0),
        (r#"leadapi_rate_limited_total{operation="create_lead"}"#, 1.0),
        (r#"leadapi_request_duration_seconds_count{operation="list_leads"}"#, 1.0),
        (r#"leadapi_store_duration_seconds_count{call="create"}"#, 1.0),
        ("leadapi_requests_in_flight", 0.0),
    ] {
        assert!((ops.count(line) - expected).abs() < f64::EPSILON, "{line}");
    }
    let metrics = ops.get("/metrics");
    assert!(metrics.contains("\r\ncontent-type: text/plain; version=0.0.4"), "{metrics}");
    assert!(metrics.contains(&format!("leadapi_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"))));
    for personal in [crate::process::BUSINESS, crate::process::CLIENT, "pak_"] {
        assert!(!metrics.contains(personal), "{personal}: {metrics}");
    }
}

#[test]
fn the_operator_listener_serves_the_api_on_other_paths() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(&mut serve(&database));
    let ops = Ops::of(&server);
    let bearer = format!("authorization: Bearer {}\r\n", database.token());
    let answer =
        ops.request(&format!("GET /v1/clients HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{bearer}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\r\nx-request-id: "), "{answer}");
    let page = ops.get("/docs");
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("\r\ncontent-security-policy: default-src 'none'"),
        "{page}"
    );
    assert!(ops.get("/docs/openapi.json").contains(r#""url": "/v1""#));
    let answer = ops.request("POST /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 405") && answer.contains("\r\nallow: GET, HEAD\r\n"), "{answer}");
    for path in ["/healthz", "/readyz", "/metrics", "/docs"] {
        let page = ops.get(path);
        assert!(page.contains("\r\nx-content-type-options: nosniff\r\n"), "{page}");
        assert!(server.get(path, "").starts_with("HTTP/1.1 404"), "{path} is public");
    }
}

/// The API reference shows the public URL, but its trial requests go to the operator listener.
#[test]
fn the_public_url_is_in_the_document_and_in_location() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(serve(&database).args(["--public-url", "https://api.example.com/crm/v1"]));
    let description = Ops::of(&server).get("/docs/openapi.json");
    let (_, document) = description.split_once("\r\n\r\n").unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    assert_eq!(document["servers"], json!([{ "url": "https://api.example.com/crm/v1" }, { "url": "/v1" }]));
    let created = server.post(&database.token(), "", &crate::process::lead("Ann"));
    assert!(created.starts_with("HTTP/1.1 201") && created.contains("\r\nlocation: /crm/v1/leads/"), "{created}");
}

/// After SIGTERM, the server's readiness check fails, but the server serves requests during the drain delay. The second
/// signal ends the delay.
#[test]
fn sigterm_fails_readiness_before_the_drain_delay() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(serve(&database).args(["--drain-delay", "1h", "--stop-timeout", "1h"]));
    let ops = Ops::of(&server);
    server.signal("TERM");
    ops.wait_until_not_ready();
    assert!(ops.get("/readyz").ends_with("not ready: shutting down\n"));
    assert!(server.get("/v1/leads", "").starts_with("HTTP/1.1 401"));
    server.signal("TERM");
    assert!(server.end().0);
}

/// A container has no shell for a health check, so the command takes the address from the server's own setting. The
/// address may be a wildcard.
#[test]
fn the_command_ready_reports_whether_a_server_is_ready() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(serve(&database).args(["--drain-delay", "1h", "--stop-timeout", "1h"]));
    let ops = Ops::of(&server);
    let check = |args: &[&str], address: &str| {
        Command::new(BINARY).arg("ready").args(args).env("LEADAPI_OPS_LISTEN", address).output().unwrap()
    };
    let ready = |address: &str| check(&[], address);
    for address in [ops.0.clone(), ops.0.replace("127.0.0.1", "0.0.0.0")] {
        let output = ready(&address);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"ready\n"[..]), "{address}");
    }
    server.signal("TERM");
    ops.wait_until_not_ready();
    let refused = |address: &str, reason: &str| {
        let output = ready(address);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(&format!("the server at {address} is not ready: {reason}")), "{error}");
    };
    refused(&ops.0, "shutting down");
    assert_eq!(check(&["--live"], &ops.0).stdout, b"alive\n");
    let health = Command::new(BINARY).arg("health").env("LEADAPI_OPS_LISTEN", &ops.0).status().unwrap();
    assert_eq!(health.code(), Some(1), "another name of the same command");
    server.signal("TERM");
    server.end();
    refused(&ops.0, "Connection refused");
    let dead = String::from_utf8(check(&["--live"], &ops.0).stderr).unwrap();
    assert!(dead.contains("is not alive: Connection refused"), "{dead}");
}

/// A user at a terminal must not have to wait.
#[test]
fn ctrl_c_skips_the_drain_delay() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(serve(&database).args(["--drain-delay", "1h", "--stop-timeout", "1h"]));
    server.signal("INT");
    assert!(server.end().0);
}

/// If `--insecure-http` alone served the API, an operator who only wants the metrics would also expose the API in plain
/// HTTP.
#[test]
fn a_reachable_operator_address_needs_flags() {
    let database = Database::of_the_sample();
    let start = |more: &[&str]| {
        let mut command = Command::new(BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "0.0.0.0:0", "--store", &database.store]);
        command.args(more);
        command
    };
    let error = refused(&mut start(&[]));
    assert!(error.contains("refusing to serve the operator endpoints in plain HTTP at 0.0.0.0:0"), "{error}");
    let token = database.token();
    let request = format!(
        "GET /v1/clients HTTP/1.1\r\nhost: ops.example\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    for (more, status) in [(&["--insecure-http"][..], "404"), (&["--insecure-http", "--ops-api"], "200")] {
        let server = ServerProcess::start(&mut start(more));
        let ops = Ops::of(&server);
        assert!(ops.get("/healthz").ends_with("\r\n\r\nalive\n"));
        let answer = ops.request(&request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{more:?}: {answer}");
        server.signal("INT");
        assert!(server.end().0);
    }
}

/// The listener must reject requests from a web page whose domain resolves to this machine (DNS rebinding).
#[test]
fn a_loopback_listener_refuses_other_host_names() {
    let database = Database::of_the_sample();
    let server = ServerProcess::start(&mut serve(&database));
    let ops = Ops::of(&server);
    for (host, status) in [(ops.0.as_str(), "200"), ("localhost:1", "200"), ("evil.example", "403")] {
        let answer = ops.request(&format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
    }
}

/// The API stops together with the public listener. The health and metrics pages stay available, so that monitoring can
/// observe the shutdown.
#[test]
fn the_operator_listener_stops_serving_the_api_during_a_shutdown() {
    let data = data_file("ops-stop", &format!(r#"{{"name": "own", "scopes": ["write"], "token": "{SECRET}"}}"#));
    let mut command = crate::process::serve(&data);
    let server = ServerProcess::start(command.args(["--ops-listen", "127.0.0.1:0"]));
    let ops = Ops::of(&server);
    let (mut waiting, body) = server.request_that_waits_for_its_body();
    assert!(ops.get("/v1/leads").starts_with("HTTP/1.1 401"));
    server.signal("TERM");
    server.wait_until_refused();
    let answer = ops.get("/v1/leads");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.ends_with("\r\n\r\nshutting down\n"), "{answer}");
    assert!(ops.get("/healthz").ends_with("alive\n"));
    waiting.write_all(body.as_bytes()).unwrap();
    assert!(server.end().0);
}
