//! Tests of the traces that an OTLP collector receives.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
};

use crate::process::{BINARY, ServerProcess};

/// Reads one HTTP request, responds to it, and returns its head and body.
fn take(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4_096];
        let read = stream.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if bytes.len() == end + 4 + length.parse::<usize>().unwrap() {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
            return (head, bytes[end + 4..].to_vec());
        }
    }
}

#[test]
fn spans_are_exported_before_the_server_exits() {
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    let mut command = Command::new(BINARY);
    let server = ServerProcess::start(command.args(["demo", "--listen", "127.0.0.1:0", "--otlp-endpoint", &endpoint]));
    server.get("/v1/leads?client_id=canary", "x-request-id: the-id\r\nauthorization: Bearer pak_canary\r\n");
    server.signal("TERM");
    let (head, body) = take(collector.accept().unwrap().0);
    assert!(head.starts_with("post /v1/traces "), "{head}");
    // Protobuf stores strings as plain UTF-8, so a substring search finds them.
    let text = String::from_utf8_lossy(&body).into_owned();
    for part in ["leadapi-server", "request", "the-id", "/v1/leads", "list_leads"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("canary"), "{text}");
    assert!(server.end().0);
}
