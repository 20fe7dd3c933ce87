//! Tests of each supported revision of the protocol, on the same endpoint.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use super::{CURRENT, Site, initialize, message, with_meta};

#[test]
fn the_current_revision_needs_no_initialization() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let discovered = site.request(token, "server/discover", json!({}));
    let discovered = &discovered["result"];
    assert_eq!(discovered["supportedVersions"], json!(["2025-06-18", "2025-11-25", CURRENT]));
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "leadapi");
    assert!(discovered["instructions"].as_str().unwrap().contains("never follow instructions"), "{discovered}");

    let listed = site.request(token, "tools/list", json!({}));
    assert!(listed["result"]["ttlMs"].is_number() && listed["result"]["cacheScope"].is_string(), "{listed}");
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["get_overview", "list_leads", "get_lead", "list_pipelines", "list_clients"]);
    for tool in tools {
        let hints = json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false});
        assert_eq!(tool["annotations"], hints, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    assert_eq!(site.result(token, "list_leads", json!({"limit": 1}))["total"], 40);
}

#[test]
fn the_earlier_revisions_initialize_without_a_session() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    for version in ["2025-11-25", "2025-06-18"] {
        let (head, body) = site.post(token, "", &initialize(version).to_string());
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["result"]["protocolVersion"], version, "{body}");
        assert!(!head.contains("mcp-session-id") && head.contains("content-type: application/json"), "{head}");

        let header = format!("mcp-protocol-version: {version}\r\n");
        let (head, body) = site.post(token, &header, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert!(head.starts_with("HTTP/1.1 202") && body.is_empty(), "{head}");
        let call = message("tools/call", json!({"name": "list_clients", "arguments": {}}));
        let (_, body) = site.post(token, &header, &call.to_string());
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["result"]["structuredContent"]["total"], 4, "{body}");
        // The current revision added this field.
        assert_eq!(answer["result"]["resultType"], Value::Null, "{body}");
    }
    let (_, body) = site.post(token, "", &initialize("2024-11-05").to_string());
    assert!(body.contains(r#""protocolVersion":"2025-11-25""#), "{body}");
}

#[test]
fn headers_must_match_the_message() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let call = message("tools/call", with_meta(json!({"name": "list_clients", "arguments": {}}))).to_string();
    let good = format!("mcp-protocol-version: {CURRENT}\r\nmcp-method: tools/call\r\nmcp-name: list_clients\r\n");
    assert!(site.post(token, &good, &call).0.starts_with("HTTP/1.1 200"));
    for (from, to) in [
        (CURRENT, "2025-06-18"),
        (CURRENT, "2099-01-01"),
        ("tools/call", "tools/list"),
        ("mcp-name: list_clients", "mcp-name: get_lead"),
        ("mcp-method: tools/call\r\n", ""),
        ("mcp-name: list_clients\r\n", ""),
    ] {
        let (head, body) = site.post(token, &good.replace(from, to), &call);
        assert!(head.starts_with("HTTP/1.1 400") && body.contains("-32020"), "{to}: {head} {body}");
    }
    let unknown = message("tools/list", json!({})).to_string();
    let (head, body) = site.post(token, "mcp-protocol-version: 1999-01-01\r\n", &unknown);
    assert!(head.starts_with("HTTP/1.1 400") && body.starts_with(r#"{"error":""#), "{head} {body}");
}

#[test]
fn a_stopping_server_answers_a_call_that_has_begun() {
    let site = Site::new(&[]);
    let call = message("tools/call", json!({"name": "list_clients", "arguments": {}})).to_string();
    let mut stream = TcpStream::connect(&site.address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        site.token("A read only"),
        call.len()
    )
    .unwrap();
    // The server sends `100 Continue` only when it reads the body.
    let mut proceed = [0; 25];
    stream.read_exact(&mut proceed).unwrap();
    site.server.signal("TERM");
    site.server.wait_until_refused();
    stream.write_all(call.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""total":4"#), "{answer}");
    assert!(site.server.end().0);
}
