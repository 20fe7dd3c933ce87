//! Tests of HTTPS with both HTTP versions, certificate renewal, and failing handshakes.

use std::{fs, io, path::Path, process::Command, sync::Arc};

use bytes::Bytes;
use http::{Request, Version};
use http_body_util::Empty;
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_core::http::LeadService;
use leadapi_server::{HttpLimits, Server};
use leadapi_tests::{TIMEOUT, World};
use leadapi_tls::{TlsConfig, TlsError, TlsFiles};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::aws_lc_rs, pki_types::CertificateDer,
};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::host::{Host, SOON, endless, secret};

/// A directory with a certificate for `localhost` and its key, and the server's TLS setting for the two files.
struct Certificate {
    folder: TempDir,
    files: TlsFiles,
    der: CertificateDer<'static>,
}

impl Certificate {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = TlsFiles::new(folder.path().join("cert.pem"), folder.path().join("key.pem"));
        let mut this = Self { folder, files, der: CertificateDer::from(Vec::new()) };
        this.renew();
        this
    }

    /// Replaces the files with a new certificate and a new key, one after the other.
    fn renew(&mut self) {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        replace(&self.files.certificate, &cert.pem());
        replace(&self.files.key, &KeyPair::serialize_pem(&signing_key));
        self.der = cert.der().clone();
    }
}

/// Replaces a file as certificate renewal tools do: writes a new file and renames it.
fn replace(path: &Path, text: &str) {
    let renewed = path.with_extension("new");
    fs::write(&renewed, text).unwrap();
    fs::rename(renewed, path).unwrap();
}

async fn host(files: TlsFiles, limits: HttpLimits) -> Host {
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().limits(limits);
    Host::run(server.tls(TlsConfig::read(files).unwrap()), service().await)
}

async fn service() -> LeadService {
    World::new().await.service("/v1", None)
}

fn trusting(certificate: &CertificateDer<'static>, protocols: &[&str]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Arc::new(config)
}

/// Performs a handshake, and returns the negotiated protocol.
fn handshake(address: std::net::SocketAddr, config: Arc<ClientConfig>) -> io::Result<Option<Vec<u8>>> {
    let mut connection = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
    let mut stream = std::net::TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(connection.alpn_protocol().map(<[u8]>::to_vec))
}

#[tokio::test]
async fn alpn_selects_the_clients_protocol() {
    let certificate = Certificate::new();
    let host = host(certificate.files.clone(), HttpLimits::default()).await;
    for (offered, agreed) in
        [(&["h2", "http/1.1"][..], Some(&b"h2"[..])), (&["http/1.1"], Some(b"http/1.1")), (&[], None)]
    {
        let (address, config) = (host.address, trusting(&certificate.der, offered));
        let negotiated = tokio::task::spawn_blocking(move || handshake(address, config)).await.unwrap().unwrap();
        assert_eq!(negotiated.as_deref(), agreed, "{offered:?}");
    }
    // The connection must use the negotiated protocol.
    let connector = TlsConnector::from(trusting(&certificate.der, &["h2"]));
    let stream = TcpStream::connect(host.address).await.unwrap();
    let stream = connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get("https://localhost/v1/clients").header("authorization", format!("Bearer {}", secret()));
    let answer = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, Version::HTTP_2));
}

/// Each handshake during a renewal must see either the complete old certificate or the complete new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_certificate_is_loaded_without_a_failed_handshake() {
    let mut certificate = Certificate::new();
    let host = host(certificate.files.clone(), HttpLimits::default()).await;
    let (address, old) = (host.address, trusting(&certificate.der, &[]));
    certificate.renew();
    let new = trusting(&certificate.der, &[]);
    let changes = tokio::task::spawn_blocking(move || {
        let start = std::time::Instant::now();
        let mut seen = Vec::new();
        while start.elapsed() < TIMEOUT {
            let before = handshake(address, old.clone()).is_ok();
            let after = handshake(address, new.clone()).is_ok();
            assert!(
                before || after || seen.last() == Some(&(true, false)),
                "the server must serve one of the certificates"
            );
            if seen.last() != Some(&(before, after)) {
                seen.push((before, after));
            }
            if (before, after) == (false, true) {
                break;
            }
        }
        seen
    });
    let seen = changes.await.unwrap();
    assert_eq!((seen.first(), seen.last()), (Some(&(true, false)), Some(&(false, true))), "{seen:?}");

    // The server must ignore an unusable key. Here, it reads its keys from pipes. Once it opens the second pipe, it has
    // finished with the first key.
    let key = certificate.files.key.clone();
    tokio::task::spawn_blocking(move || {
        for _ in 0..2 {
            let pipe = key.with_extension("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            fs::rename(pipe, &key).unwrap();
            // Blocks until the server opens the pipe.
            fs::write(&key, "no key").unwrap();
        }
    })
    .await
    .unwrap();
    let now = trusting(&certificate.der, &[]);
    tokio::task::spawn_blocking(move || handshake(address, now)).await.unwrap().unwrap();
    drop(certificate.folder);
}

#[tokio::test]
async fn half_a_handshake_is_cut() {
    let mut limits = endless();
    limits.first_byte = SOON;
    let host = host(Certificate::new().files, limits).await;
    for half in [&b""[..], b"\x16", b"\x16\x03\x01\x02\x00\x01\x00"] {
        let mut peer = host.connect().await;
        tokio::io::AsyncWriteExt::write_all(&mut peer.0, half).await.unwrap();
        assert_eq!(peer.rest().await, "");
    }
}

#[tokio::test]
async fn a_new_handshake_evicts_the_oldest_one() {
    let certificate = Certificate::new();
    let mut limits = endless();
    limits.handshakes = 2;
    let host = host(certificate.files.clone(), limits).await;
    let (mut first, mut second) = (host.connect().await, host.connect().await);
    for peer in [&mut first, &mut second] {
        peer.send("\u{16}").await;
    }
    for _ in 0..5 {
        let (address, config) = (host.address, trusting(&certificate.der, &[]));
        tokio::task::spawn_blocking(move || handshake(address, config)).await.unwrap().unwrap();
    }
    assert_eq!(first.rest().await, "");
}

#[tokio::test]
async fn unusable_certificate_files_are_refused_with_the_reason() {
    let (good, other) = (Certificate::new(), Certificate::new());
    let nowhere = good.folder.path().join("nowhere.pem");
    for (certificate, key, reason) in [
        (&nowhere, &good.files.key, "cannot read"),
        (&good.files.key, &good.files.key, "contains no certificate in PEM format"),
        (&good.files.certificate, &good.files.certificate, "contains no private key in PEM format"),
        (&good.files.certificate, &other.files.key, "cannot be used together"),
    ] {
        let error: TlsError = TlsConfig::read(TlsFiles::new(certificate, key)).unwrap_err();
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
}

/// Sends requests over one keep-alive connection, to check that all bytes arrive in both directions.
#[tokio::test]
async fn requests_and_responses_arrive_complete_over_tls() {
    let certificate = Certificate::new();
    let host = host(certificate.files.clone(), HttpLimits::default()).await;
    let (address, config) = (host.address, trusting(&certificate.der, &["http/1.1"]));
    tokio::task::spawn_blocking(move || {
        let connection = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let notes = "n".repeat(10_000);
        for _ in 0..3 {
            let body = format!(r#"{{"client_id":"a-client-1","name":"Ann","notes":"{notes}"}}"#);
            io::Write::write_all(&mut stream, crate::host::post(&body, "").as_bytes()).unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"}") {
                let mut piece = [0; 4_096];
                let read = io::Read::read(&mut stream, &mut piece).unwrap();
                answer.extend_from_slice(&piece[..read]);
            }
            let answer = String::from_utf8(answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 201") && answer.contains(&notes), "{answer}");
        }
    })
    .await
    .unwrap();
}
