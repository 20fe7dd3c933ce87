//! Tests of certificate orders that fail.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::Arc,
    thread,
};

use leadapi_tests::{
    free_port,
    pebble::{Pebble, REFUSED_DOMAIN},
};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::aws_lc_rs, pki_types::PrivateKeyDer};

use crate::{
    client::list_clients,
    server::{DOMAIN, Server, Site},
};

/// Checks that the log names the domain, the reason and the next attempt, and that handshakes fail while the server
/// keeps running.
fn assert_refused(site: &Site, server: &Server, domain: &str, reason: &str) {
    server.wait_for_log("next_attempt_in=30s");
    let log = server.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("has not issued a certificate")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    for (line, pause) in lines.iter().zip(["next_attempt_in=10s", "next_attempt_in=30s"]) {
        assert!(line.contains("ERROR") && line.contains(domain) && line.contains(pause), "{line}");
        assert!(line.contains(reason), "{line}");
    }
    let Err(error) = list_clients(site.port, domain) else { panic!("there is no certificate") };
    assert!(error.to_string().contains("AccessDenied"), "the handshake fails with an alert: {error}");
}

#[test]
fn a_refused_order_is_logged_and_retried() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(site.port, 100_000) else { return };
    let server = site.serve(&pebble, REFUSED_DOMAIN);
    assert_refused(&site, &server, REFUSED_DOMAIN, "urn:ietf:params:acme:error:rejectedIdentifier");
}

#[test]
fn a_failed_validation_is_logged_and_retried() {
    let site = Site::new();
    // Pebble validates domains on this port, but nothing listens on it.
    let Some(pebble) = Pebble::start(free_port(), 100_000) else { return };
    let server = site.serve(&pebble, DOMAIN);
    assert_refused(&site, &server, DOMAIN, "for the tls-alpn-01 challenge (urn:ietf:params:acme:error:");
}

/// Pebble has no rate limits, so the test starts an ACME server that answers every request with 429.
#[test]
fn a_rate_limit_is_logged_and_the_order_is_retried() {
    let site = Site::new();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let root = site.folder.path().join("root.pem");
    std::fs::write(&root, cert.pem()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = Arc::new(builder.with_single_cert(vec![cert.der().clone()], key).unwrap());
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let directory = format!("https://localhost:{}/dir", socket.local_addr().unwrap().port());
    thread::spawn(move || {
        for stream in socket.incoming() {
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream.unwrap());
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            let body = r#"{"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many certificates"}"#;
            let head = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/problem+json\r\nconnection: close";
            write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            stream.conn.send_close_notify();
            stream.flush().unwrap();
        }
    });
    let server = site.serve_from(&directory, &root, DOMAIN);
    assert_refused(&site, &server, DOMAIN, "too many certificates (urn:ietf:params:acme:error:rateLimited)");
}
