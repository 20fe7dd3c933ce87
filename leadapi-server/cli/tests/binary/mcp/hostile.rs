//! Tests of callers without permission, and of requests that are malformed, too large, too slow or not from an MCP
//! client.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
};

use serde_json::{Value, json};

use super::{CURRENT, Site, initialize, message, with_meta};
use crate::process::{BINARY, TIMEOUT, refused};

/// Returns the challenge and the body of the API's response to a request with these headers.
fn from_the_api(site: &Site, headers: &str) -> (String, String) {
    let answer = site.server.get("/v1/clients?limit=1", headers);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let challenge = head.lines().find(|line| line.starts_with("www-authenticate")).unwrap();
    (challenge.to_owned(), body.to_owned())
}

#[test]
fn an_invalid_token_gets_the_same_response_as_from_the_api() {
    let site = Site::new(&[]);
    let (expired, revoked) = (site.token("A expired"), site.token("A revoked"));
    for headers in [
        String::new(),
        "authorization: Bearer x\r\n".to_owned(),
        "authorization: Basic eDp5\r\n".to_owned(),
        "authorization: Bearer pak_1\r\nauthorization: Bearer pak_2\r\n".to_owned(),
        format!("authorization: Bearer {expired}\r\n"),
        format!("authorization: Bearer {revoked}\r\n"),
        format!("authorization: Bearer {expired}x\r\n"),
    ] {
        let (challenge, expected) = from_the_api(&site, &headers);
        // A token is checked before the message is read.
        let (head, body) = site.send("POST", "/mcp", &headers, "not JSON");
        assert!(head.starts_with("HTTP/1.1 401") && head.contains(&challenge), "{headers}: {head}");
        assert_eq!(body, expected, "{headers}");
    }
}

#[test]
fn api_errors_reach_the_agent() {
    let site = Site::new(&[]);
    let (token, other) = (site.token("A read only"), site.token("B read+write"));
    let theirs = site.result(other, "list_leads", json!({"limit": 1}))["data"][0].clone();
    for id in [&theirs["id"], &json!("nothing"), &json!("..a")] {
        assert_eq!(site.failure(token, "get_lead", json!({"id": id})), "id: no such lead");
    }
    let filters =
        [("client_id", "client_id: no such client account in this business"), ("stage_id", "stage_id: no such stage")];
    for (filter, expected) in filters {
        for id in [&theirs[filter], &json!("nothing")] {
            if id.is_string() {
                assert_eq!(site.failure(token, "list_leads", json!({filter: id})), expected);
            }
        }
    }
    let writer = site.token("A write only");
    for tool in ["get_overview", "list_leads", "list_clients", "list_pipelines"] {
        assert!(site.failure(writer, tool, json!({})).contains("scope"), "{tool}");
    }
    // Any valid token may list the tool definitions.
    assert!(site.request(writer, "tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn calls_count_towards_the_rate_limit_of_the_token_and_the_log() {
    let site = Site::new(&["--reads-per-minute", "5"]);
    let token = site.token("A read only").to_owned();
    for _ in 0..2 {
        site.request(&token, "tools/list", json!({}));
        site.result(&token, "list_clients", json!({}));
    }
    assert!(site.server.get("/v1/clients", &format!("authorization: Bearer {token}\r\n")).starts_with("HTTP/1.1 200"));
    let limited = site.failure(&token, "list_clients", json!({}));
    assert!(limited.contains("limit"), "{limited}");
    assert!(site.failure(&token, "get_overview", json!({})).contains("limit"));
    for method in ["tools/list", "ping"] {
        let (head, body) = site.post(&token, "", &message(method, json!({})).to_string());
        assert!(head.starts_with("HTTP/1.1 429") && head.contains("retry-after: "), "{head}");
        assert!(body.contains("rate limit"), "{body}");
    }
    let (head, _) = site.post(&token, "", &initialize("2025-11-25").to_string());
    assert!(head.starts_with("HTTP/1.1 429"), "{head}");
    site.server.signal("TERM");
    let (_, _, log) = site.server.end();
    let counted = |path: &str, status: u16| {
        let parts = [format!("path=\"{path}\""), format!("status={status}")];
        log.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    };
    assert_eq!((counted("/v1/clients", 200), counted("/mcp", 200), counted("/mcp", 429)), (3, 6, 3), "{log}");
    assert!(log.contains("status=429") && !log.contains("pak_"), "{log}");
}

#[test]
fn invalid_arguments_are_explained() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let limit = "limit must be an integer from 1 to 100";
    let id = "id: an id must be 1 to 64 visible ASCII characters";
    for (tool, arguments, expected) in [
        ("list_leads", json!({"limit": 0}), limit),
        ("list_leads", json!({"limit": 101}), limit),
        ("list_leads", json!({"limit": "20"}), limit),
        ("list_clients", json!({"limit": -1}), limit),
        ("list_leads", json!({"offset": -1}), "offset must be an integer from 0 to 9007199254740991"),
        ("list_leads", json!({"client": "x"}), "unknown argument client"),
        ("get_overview", json!({"limit": 1}), "unknown argument limit"),
        ("get_lead", json!({}), "id is required"),
        ("get_lead", json!({"id": 7}), "id must be a string"),
        ("get_lead", json!({"id": ""}), id),
        ("get_lead", json!({"id": "a b"}), id),
        ("list_leads", json!({"client_id": "é"}), &format!("client_{id}")),
    ] {
        assert_eq!(site.failure(token, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    let dots = site.failure(token, "get_lead", json!({"id": ".."}));
    assert!(dots.contains("must not be"), "{dots}");
    let unknown = site.call(token, "delete_lead", json!({}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = site.request(token, "leads/list", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
}

#[test]
fn web_pages_and_foreign_hosts_are_refused() {
    let site = Site::new(&["--mcp-url", "https://mcp.example.com"]);
    let token = site.token("A read only");
    let ping = message("ping", json!({})).to_string();
    let status = |headers: &str| site.post(token, headers, &ping).0[9..12].to_owned();
    for host in ["localhost", "127.0.0.1:1", "[::1]", "mcp.example.com", "MCP.example.com", "mcp.example.com:443"] {
        assert_eq!(status(&format!("host: {host}\r\n")), "200", "{host}");
    }
    for host in ["evil.example", "mcp.example.com.evil.example", "api.example.com"] {
        assert_eq!(status(&format!("host: {host}\r\n")), "403", "{host}");
    }
    for origin in ["https://evil.example", "https://mcp.example.com", "http://localhost", "null", ""] {
        assert_eq!(status(&format!("origin: {origin}\r\n")), "403", "{origin}");
    }
    let (head, _) = site.send("OPTIONS", "/mcp", "origin: https://evil.example\r\n", "");
    assert!(head.starts_with("HTTP/1.1 403") && !head.contains("access-control"), "{head}");
}

#[test]
fn plain_http_on_a_reachable_address_is_refused() {
    let mut command = Command::new(BINARY);
    let error = refused(command.args(["serve", "--mcp-listen", "0.0.0.0:0"]));
    assert!(error.contains("refusing to serve plain HTTP at 0.0.0.0:0"), "{error}");
    let error = refused(Command::new(BINARY).args(["serve", "--mcp-url", "https://mcp.example.com"]));
    assert!(error.contains("--mcp-listen"), "{error}");
}

/// An agent reads characters that people do not see.
#[test]
fn hidden_characters_of_a_lead_are_escaped() {
    let site = Site::new(&[]);
    let token = site.token("B read+write");
    let account = site.result(token, "list_clients", json!({}))["data"][0]["id"].clone();
    let name = "Ann \u{e0049}\u{e0067}\u{202e}\u{2066} Müller";
    let lead = json!({"client_id": account, "name": name, "notes": "\u{e0001}"}).to_string();
    let headers = format!("authorization: Bearer {}\r\ncontent-length: {}\r\nconnection: close\r\n", token, lead.len());
    let created = site.server.send(&format!("POST /v1/leads HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n{lead}"));
    let created: Value = serde_json::from_str(created.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(created["name"], name);
    let found = site.result(token, "get_lead", json!({"id": created["id"]}));
    assert_eq!(found["lead"]["name"], r"Ann \u{e0049}\u{e0067}\u{202e}\u{2066} Müller");
    assert_eq!(found["lead"]["notes"], r"\u{e0001}");
}

#[test]
fn a_long_protocol_version_is_not_repeated() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let long = "2".repeat(3_000);
    let in_meta = message("tools/list", with_meta(json!({}))).to_string().replace(CURRENT, &long);
    let header = format!("mcp-protocol-version: {long}\r\n");
    for (headers, body) in [
        ("", initialize(&long).to_string()),
        ("mcp-method: tools/list\r\n", in_meta),
        (&*header, message("ping", json!({})).to_string()),
    ] {
        let (head, answer) = site.post(token, headers, &body);
        assert!(head.starts_with("HTTP/1.1 400") && !answer.contains("222"), "{head} {answer}");
    }
}

#[test]
fn malformed_requests_are_refused() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("[]", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    ] {
        let (head, answer) = site.post(token, "", body);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(head.starts_with("HTTP/1.1 400"), "{body}: {head}");
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null), "{body}");
    }
    let ping = message("ping", json!({})).to_string();
    assert!(site.post(token, "", &ping).0.starts_with("HTTP/1.1 200"));
    let authorization = format!("authorization: Bearer {token}\r\n");
    let json = "content-type: application/json\r\n";
    let accept = "accept: application/json, text/event-stream\r\n";
    let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(70_000));
    for (method, path, headers, body, status) in [
        ("GET", "/mcp", accept, "", "405"),
        ("DELETE", "/mcp", accept, "", "405"),
        ("POST", "/", accept, &*ping, "404"),
        ("POST", "/mcp/", accept, &*ping, "404"),
        ("POST", "/mcp", json, &*ping, "406"),
        ("POST", "/mcp", accept, &*ping, "415"),
        ("POST", "/mcp", accept, &*huge, "413"),
    ] {
        let (head, answer) = site.send(method, path, &format!("{authorization}{headers}"), body);
        assert_eq!(&head[9..12], status, "{method} {path} {headers}: {head}");
        assert!(answer.starts_with(r#"{"error":""#) && head.contains("x-request-id: "), "{head} {answer}");
    }
    let impatient = Site::new(&["--body-timeout", "200ms"]);
    let authorization = format!("authorization: Bearer {}\r\n", impatient.token("A read only"));
    let mut slow = TcpStream::connect(&impatient.address).unwrap();
    slow.set_read_timeout(Some(TIMEOUT)).unwrap();
    write!(slow, "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{authorization}content-length: 100\r\n\r\n{{").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("did not arrive"), "{answer}");
    assert_eq!(site.result(token, "list_clients", json!({}))["total"], 4);
}
