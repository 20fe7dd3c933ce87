//! Tests of what the log and the metrics say about a request.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Caller, Scopes},
    http::LeadService,
    port::{TokenVerifier, Verdict},
};
use leadapi_memory::MemoryStore;
use leadapi_server::{Metrics, Server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Starts a server on this thread.
async fn serve(verifier: impl TokenVerifier + 'static, metrics: Arc<Metrics>) -> SocketAddr {
    let service = LeadService::builder(MemoryStore::default(), verifier).build().unwrap();
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().metrics(metrics);
    let address = server.local_addr();
    tokio::spawn(server.serve(service, std::future::pending()));
    address
}

async fn response(mut peer: TcpStream) -> String {
    let mut response = String::new();
    peer.read_to_string(&mut response).await.unwrap();
    response
}

struct Broken;

#[async_trait]
impl TokenVerifier for Broken {
    async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
        Err("the database is down".into())
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log level is `ERROR`, so this also checks that the cause is logged at that level.
#[tokio::test]
async fn the_cause_of_a_500_is_in_the_log_with_its_request_id_and_not_in_the_response() {
    let lines = Lines::default();
    let writer = lines.clone();
    let log = tracing_subscriber::fmt().with_max_level(tracing::Level::ERROR).with_ansi(false);
    let _guard = tracing::subscriber::set_default(log.with_writer(move || writer.clone()).finish());
    let mut peer = TcpStream::connect(serve(Broken, Arc::new(Metrics::new().unwrap())).await).await.unwrap();
    let head = "host: localhost\r\nauthorization: Bearer pak_x\r\nx-request-id: the-id\r\nconnection: close\r\n\r\n";
    peer.write_all(format!("GET /leads HTTP/1.1\r\n{head}").as_bytes()).await.unwrap();
    let response = response(peer).await;
    assert!(response.starts_with("HTTP/1.1 500") && response.contains("x-request-id: the-id"), "{response}");
    assert!(!response.contains("database"), "{response}");
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for part in ["the-id", "the database is down", "list_leads", "status=500"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(!log.contains("pak_"), "{log}");
}

struct AnyToken;

#[async_trait]
impl TokenVerifier for AnyToken {
    async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
        Ok(Verdict::Good(Caller::new("sol".parse()?, "token-1".parse()?, Scopes::Both)))
    }
}

#[tokio::test]
async fn a_request_is_in_flight_until_the_service_has_answered_it() {
    let metrics = Arc::new(Metrics::new().unwrap());
    let count = |count: usize| {
        let line = format!("leadapi_requests_in_flight {count}\n");
        metrics.text().unwrap().contains(&line)
    };
    let mut peer = TcpStream::connect(serve(AnyToken, metrics.clone()).await).await.unwrap();
    let head = "host: localhost\r\nauthorization: Bearer pak_x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n";
    peer.write_all(format!("POST /leads HTTP/1.1\r\n{head}").as_bytes()).await.unwrap();
    let begins = async {
        while !count(1) {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), begins).await.unwrap();
    peer.write_all(b"{}").await.unwrap();
    let response = response(peer).await;
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(count(0));
}
