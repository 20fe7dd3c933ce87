//! Tests the MCP listener over TLS.

use std::{fs, net::SocketAddr};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};

use crate::{
    client::{send, token},
    server::Server,
};

const DOMAIN: &str = "localhost";

fn call(port: u16, protocol: &str, token: &str, message: &Value) -> std::io::Result<(String, Value)> {
    let body = message.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: mcp.example.com\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = send(port, DOMAIN, protocol, &request)?;
    let (head, body) = answer.text.split_once("\r\n\r\n").unwrap();
    Ok((head.to_owned(), serde_json::from_str(body).unwrap()))
}

#[test]
fn the_mcp_server_uses_the_certificate_of_the_api() {
    let folder = tempfile::tempdir().unwrap();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([DOMAIN.to_owned()]).unwrap();
    let [certificate, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    fs::write(&certificate, cert.pem()).unwrap();
    fs::write(&key, signing_key.serialize_pem()).unwrap();
    let options = [
        ["--listen", "127.0.0.1:0"],
        ["--mcp-listen", "0.0.0.0:0"],
        ["--tls-cert", certificate.to_str().unwrap()],
        ["--tls-key", key.to_str().unwrap()],
    ];
    let server = Server::start(folder.path(), &options.concat());
    assert!(server.process.printed.contains("MCP server: https://"), "{}", server.process.printed);
    let port = server.process.listener("MCP server").unwrap().parse::<SocketAddr>().unwrap().port();

    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (head, answer) = call(port, "http/1.1", &token(), &list).unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}: {answer}");
    assert!(answer["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{answer}");
    let clients = json!({"name": "list_clients", "arguments": {}});
    let (_, answer) = call(
        port,
        "http/1.1",
        &token(),
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": clients}),
    )
    .unwrap();
    assert_eq!(answer["result"]["structuredContent"]["data"][0]["id"], "c1", "{answer}");
    let (head, _) = call(port, "http/1.1", "x", &list).unwrap();
    assert!(head.starts_with("HTTP/1.1 401"), "{head}");
}
