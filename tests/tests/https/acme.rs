//! Tests of certificate orders, restarts, renewals and crashes, with Pebble as the ACME server.

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use leadapi_tests::{pebble::Pebble, wait_until};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

use crate::{
    client::{list_clients, send},
    server::{DOMAIN, Server, Site},
};

/// The validity, in seconds, of certificates that are not renewed during a test.
const LONG: u32 = 100_000;

fn certificate(port: u16) -> CertificateDer<'static> {
    let answer = list_clients(port, DOMAIN).unwrap();
    assert!(answer.text.starts_with("HTTP/1.1 200"), "{}", answer.text);
    assert!(answer.chain.len() > 1, "the chain contains the intermediate certificate");
    answer.chain[0].clone()
}

#[test]
fn a_certificate_is_ordered_once_and_used_after_a_restart() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(site.port, LONG) else { return };
    let server = site.serve(&pebble, DOMAIN);
    assert!(server.process.url.starts_with("https://"), "{}", server.process.url);
    server.wait_for_log("there is no certificate yet");
    server.wait_for_log("the new certificate is in the cache");
    server.wait_for_log("a client has completed the handshake of an ACME challenge");
    let first = certificate(site.port);
    for path in site.cached("") {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
    assert_eq!(site.cached("").len(), 2, "{:?}", site.cached(""));
    server.stop();

    let server = site.serve(&pebble, DOMAIN);
    server.wait_for_log("the certificate has been read from the cache");
    assert_eq!(certificate(site.port), first);
    assert!(!server.log().contains("there is no certificate yet"), "{}", server.log());
    assert_eq!(pebble.issued(), 1);
    server.stop();

    // The other servers of a cluster can use the cached file as their certificate and key.
    let file = site.cached(".pem").remove(0);
    let file = file.to_str().unwrap();
    let listen = format!("127.0.0.1:{}", site.port);
    let _server = Server::start(site.folder.path(), &["--listen", &listen, "--tls-cert", file, "--tls-key", file]);
    assert_eq!(certificate(site.port), first);
}

#[test]
fn a_certificate_is_renewed_before_it_expires() {
    const VALIDITY: u32 = 30;
    let site = Site::new();
    let Some(pebble) = Pebble::start(site.port, VALIDITY) else { return };
    let server = site.serve(&pebble, DOMAIN);
    server.wait_for_log("the new certificate is in the cache");
    let first = certificate(site.port);
    let second = wait_until("a new certificate", || Some(certificate(site.port)).filter(|now| *now != first));
    wait_until("the new certificate is in the cache", || {
        CertificateDer::from_pem_file(&site.cached(".pem")[0]).unwrap() == second
    });
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

/// Only an ACME server uses the protocol `acme-tls/1`. A handshake for this protocol receives the certificate of the
/// challenge or fails, and a request after the handshake receives no response.
#[test]
fn the_protocol_of_the_challenge_serves_no_requests() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(site.port, LONG) else { return };
    let server = site.serve(&pebble, DOMAIN);
    server.wait_for_log("the new certificate is in the cache");
    let request = "GET /v1/clients HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert!(send(site.port, DOMAIN, "acme-tls/1", request).is_err());
    assert!(send(site.port, DOMAIN, "http/1.1", request).unwrap().text.starts_with("HTTP/1.1 401"));
}

#[test]
fn a_server_that_is_killed_during_an_order_leaves_a_usable_cache() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(site.port, LONG) else { return };
    let steps = ["POST /sign-me-up", "POST /order-plz", "POST /chalZ/", "POST /finalize-order/", "POST /certZ/"];
    for step in steps {
        fs::remove_dir_all(site.cache()).unwrap_or_default();
        let before = pebble.log().matches(step).count();
        let server = site.serve(&pebble, DOMAIN);
        wait_until(step, || pebble.log().matches(step).count() > before);
        server.kill();
        for path in site.cached(".pem") {
            CertificateDer::from_pem_file(&path).unwrap();
            PrivateKeyDer::from_pem_file(&path).unwrap();
        }
        let server = site.serve(&pebble, DOMAIN);
        wait_until("a certificate", || list_clients(site.port, DOMAIN).is_ok());
        certificate(site.port);
        assert!(!server.log().contains("ERROR"), "{step}: {}", server.log());
    }
}

/// The options are checked before the server starts.
#[test]
fn inconsistent_options_are_refused() {
    let domain = ["--acme-domain", DOMAIN];
    let agree = [&domain[..], &["--acme-agree-tos"]].concat();
    let full = [&agree[..], &["--acme-cache", "/dev/null/acme"]].concat();
    for (options, expected) in [
        (domain.to_vec(), "--acme-domain needs --acme-agree-tos"),
        (agree, "--acme-domain needs --acme-cache"),
        (full.clone(), "cannot write to /dev/null/acme"),
        ([&full[..], &["--tls-cert", "x", "--tls-key", "y"]].concat(), "cannot be used with --tls-cert and --tls-key"),
        (
            [&full[..], &["--acme-staging", "--acme-directory", "https://x/"]].concat(),
            "cannot be used with --acme-directory",
        ),
        (["--acme-domain", "*.example.org"].to_vec(), "must be a domain name"),
        (["--acme-domain", "192.0.2.1"].to_vec(), "must be a domain name"),
        ([&full[..], &["--acme-directory", "http://x/"]].concat(), "must be an https URL"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        let output = command.args(["serve", "--listen", "127.0.0.1:0"]).args(&options).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{options:?}: {error}");
    }
}

#[test]
fn the_options_can_come_from_a_settings_file() {
    let site = Site::new();
    let file = site.folder.path().join("server.toml");
    let lines = [
        "acme-domain = \"Leads.Example.org,www.example.org\"".to_owned(),
        "acme-agree-tos = true".to_owned(),
        format!("acme-cache = {:?}", site.cache()),
        "acme-staging = true".to_owned(),
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        let output = command.args(["config", "--config"]).arg(&file).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let (succeeds, values, error) = run();
    assert!(succeeds && values.contains(site.cache().to_str().unwrap()), "{values}{error}");
    fs::write(&file, [&lines[0][..], "tls-cert = \"x\"", "tls-key = \"y\""].join("\n")).unwrap();
    let (succeeds, _, error) = run();
    assert!(!succeeds && error.contains("cannot be used with --tls-cert and --tls-key"), "{error}");
}
