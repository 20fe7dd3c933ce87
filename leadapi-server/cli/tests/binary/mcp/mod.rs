//! Tests that call the MCP server with raw messages, over HTTP and over standard input and output.

mod hostile;
mod protocol;
mod results;
mod stdio;

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
};

use serde_json::{Value, json};

use crate::process::{BINARY, ServerProcess, TIMEOUT};

const CURRENT: &str = "2026-07-28";

/// A server with the two sample businesses in memory.
struct Site {
    server: ServerProcess,
    address: String,
}

impl Site {
    fn new(args: &[&str]) -> Self {
        let mut command = Command::new(BINARY);
        command.args(["demo", "--listen", "127.0.0.1:0", "--mcp-listen", "127.0.0.1:0"]).args(args);
        let server = ServerProcess::start(&mut command);
        let address = server.listener("MCP server").unwrap().to_owned();
        Self { server, address }
    }

    /// Returns the sample token with this name.
    fn token(&self, name: &str) -> &str {
        let line = self.server.printed.lines().find(|line| line.contains(name)).unwrap();
        line.split_whitespace().next().unwrap()
    }

    /// Sends a request, and returns the response's head and body.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
        let host = if headers.contains("host: ") { String::new() } else { format!("host: {}\r\n", self.address) };
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}connection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn post(&self, token: &str, headers: &str, body: &str) -> (String, String) {
        let headers = format!(
            "authorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{headers}"
        );
        self.send("POST", "/mcp", &headers, body)
    }

    /// Sends a request in the format of the current revision, and returns the response's message.
    fn request(&self, token: &str, method: &str, params: Value) -> Value {
        let name = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
        let headers = format!("mcp-protocol-version: {CURRENT}\r\nmcp-method: {method}\r\n{name}");
        let (_, body) = self.post(token, &headers, &message(method, with_meta(params)).to_string());
        serde_json::from_str(&body).unwrap()
    }

    fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        self.request(token, "tools/call", params)
    }

    /// Calls a tool that must succeed, and returns the structured result.
    fn result(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let answer = self.call(token, tool, arguments);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Calls a tool that must fail, and returns the message that the agent reads.
    fn failure(&self, token: &str, tool: &str, arguments: Value) -> String {
        let answer = self.call(token, tool, arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn message(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": method});
    message["params"] = params;
    message
}

/// Adds the fields that the current revision requires in each request.
fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

fn initialize(version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    message("initialize", json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}))
}
