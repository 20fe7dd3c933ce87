//! Tests of the `mcp` command, which serves on standard input and output.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use super::{Site, initialize, message, with_meta};
use crate::process::{BINARY, refused};

/// A running `mcp` command.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(url: &str, token: &str) -> Self {
        let mut command = Command::new(BINARY);
        command.args(["mcp", "--url", url]).env("LEADAPI_TOKEN", token);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, message: &Value) -> Value {
        self.send(message);
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Closes standard input. Returns whether the command succeeds, the rest of its output, and its log.
    fn close(mut self) -> (bool, String, String) {
        drop(self.input.take());
        let (mut rest, mut log) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().success(), rest, log)
    }
}

impl Drop for Agent {
    /// Kills the command if a test fails. Ignores the error if it has already exited.
    fn drop(&mut self) {
        self.child.kill().ok();
    }
}

fn url(site: &Site) -> String {
    format!("http://{}/v1", site.server.address)
}

#[test]
fn each_revision_returns_the_same_result_as_over_http() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let expected = site.result(token, "list_leads", json!({"limit": 3}));
    let call = json!({"name": "list_leads", "arguments": {"limit": 3}});

    let mut current = Agent::start(&url(&site), token);
    let discovered = current.request(&message("server/discover", with_meta(json!({}))));
    assert_eq!(discovered["result"]["supportedVersions"].as_array().unwrap().len(), 3, "{discovered}");
    let answer = current.request(&message("tools/call", with_meta(call.clone())));
    assert_eq!(answer["result"]["structuredContent"], expected);
    assert_eq!(current.close(), (true, String::new(), String::new()));

    for version in ["2025-11-25", "2025-06-18"] {
        let mut earlier = Agent::start(&url(&site), token);
        assert_eq!(earlier.request(&initialize(version))["result"]["protocolVersion"], version);
        earlier.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let answer = earlier.request(&message("tools/call", call.clone()));
        assert_eq!(answer["result"]["structuredContent"], expected);
        assert_eq!(earlier.close(), (true, String::new(), String::new()));
    }
}

#[test]
fn errors_reach_the_agent() {
    let site = Site::new(&[]);
    let call = |agent: &mut Agent, tool: &str, arguments: Value| {
        let answer = agent.request(&message("tools/call", with_meta(json!({"name": tool, "arguments": arguments}))));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let mut agent = Agent::start(&url(&site), site.token("A read only"));
    assert_eq!(call(&mut agent, "get_lead", json!({"id": "nothing"})), "id: no such lead");
    assert_eq!(call(&mut agent, "list_clients", json!({"x": 1})), "unknown argument x");
    let mut agent = Agent::start(&url(&site), site.token("A expired"));
    assert!(call(&mut agent, "list_clients", json!({})).contains("expired"));
    let mut agent = Agent::start(&url(&site), site.token("A write only"));
    assert!(call(&mut agent, "get_overview", json!({})).contains("scope"));
}

#[test]
fn a_missing_setting_is_named() {
    let mut command = Command::new(BINARY);
    let error = refused(command.args(["mcp", "--url", "http://127.0.0.1:1/v1"]).env_remove("LEADAPI_TOKEN"));
    assert!(error.contains("LEADAPI_TOKEN") && error.lines().count() == 1, "{error}");
    let error = refused(Command::new(BINARY).arg("mcp").env("LEADAPI_TOKEN", "pak_CANARY").env_remove("LEADAPI_URL"));
    assert!(error.contains("--url") && !error.contains("CANARY"), "{error}");
    for (url, token) in [("ftp://x", "pak_CANARY"), ("http://127.0.0.1:1/v1", "CANARY")] {
        let error = refused(Command::new(BINARY).args(["mcp", "--url", url]).env("LEADAPI_TOKEN", token));
        assert!(error.starts_with("leadapi: ") && !error.contains("CANARY"), "{error}");
    }
    let closed = Agent::start("http://127.0.0.1:1/v1", "pak_x").close();
    assert_eq!(closed, (true, String::new(), String::new()));
}
