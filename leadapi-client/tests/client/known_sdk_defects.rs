//! Regression tests for defects found in well-known SDKs, over real sockets.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use leadapi_client::{
    Client, Outcome, RetryPolicy,
    id::LeadId,
    model::{LeadPatch, NewLead},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::casa_verde;

const LEAD: &str = "HTTP/1.1 201 Created\r\ncontent-length: 81\r\n\r\n\
    {\"id\":\"l1\",\"client_id\":\"c1\",\"name\":\"Ann\",\"created_at\":\"2026-05-04T07:58:12.004Z\"}";

/// A scripted server. Its script returns the bytes to send for the n-th request, and whether to keep the connection
/// open.
struct ScriptedServer {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl ScriptedServer {
    async fn start(script: fn(usize) -> (&'static str, bool)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (received, accepted) = (requests.clone(), connections.clone());
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                accepted.fetch_add(1, Ordering::Relaxed);
                let received = received.clone();
                tokio::spawn(async move {
                    while let Some(text) = request(&mut socket).await {
                        let nth = {
                            let mut received = received.lock().unwrap();
                            received.push(text);
                            received.len() - 1
                        };
                        let (response, keep_alive) = script(nth);
                        socket.write_all(response.as_bytes()).await.unwrap_or_default();
                        if !keep_alive {
                            break;
                        }
                    }
                });
            }
        });
        Self { url, requests, connections }
    }

    fn client(&self) -> Client {
        let policy = RetryPolicy::default().backoff(Duration::from_millis(20), Duration::from_millis(100));
        Client::builder(&self.url, "pak_0123").retry(policy).build().unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads the next request with its body. Returns `None` if the connection is closed.
async fn request(socket: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

fn ann() -> NewLead {
    NewLead::new(&casa_verde(), "Ann")
}

/// octocrab retries with an empty body if the body cannot be cloned, and retries a POST without waiting.
#[tokio::test]
async fn a_retry_has_the_same_body_and_waits() {
    let server = ScriptedServer::start(|nth| match nth {
        0..=2 => ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n", true),
        _ => (LEAD, true),
    })
    .await;
    let start = Instant::now();
    server.client().leads().create(&ann()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(3));
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| *request == requests[0] && request.ends_with("\"name\":\"Ann\"}")));
}

/// async-stripe opens a connection for every call.
///
/// If a call starts before the I/O thread has returned the last connection to the pool, the client opens a new
/// connection. The test therefore allows a few connections.
#[tokio::test]
async fn connections_are_reused() {
    let server = ScriptedServer::start(|_| (LEAD, true)).await;
    let client = server.client();
    for _ in 0..20 {
        client.clone().leads().create(&ann()).await.unwrap();
    }
    assert_eq!(server.requests().len(), 20);
    assert!((1..=10).contains(&server.connections.load(Ordering::Relaxed)));
}

/// async-stripe retries a POST without a key. reqwest-retry retries requests of any method if the
/// connection closes before or during the response.
#[tokio::test]
async fn a_create_without_a_key_is_not_retried_after_a_lost_response() {
    for script in [
        (|_| ("", false)) as fn(usize) -> (&'static str, bool),
        |_| ("HTTP/1.1 201 Created\r\ncontent-le", false),
        |_| ("HTTP/1.1 201 Created\r\ncontent-length: 81\r\n\r\n{\"id\":\"l1\"", false),
        |_| ("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", true),
    ] {
        let server = ScriptedServer::start(script).await;
        let error = server.client().leads().create(&ann()).without_idempotency_key().await.unwrap_err();
        assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 1), "{error:?}");
        assert_eq!(server.requests().len(), 1);
    }
}

/// Tests lost responses to requests that are safe to retry: a create that keeps its key across attempts, and a DELETE.
#[tokio::test]
async fn idempotent_requests_are_retried_after_a_lost_response() {
    let server = ScriptedServer::start(|nth| match nth {
        0 => ("", false),
        1 => ("HTTP/1.1 201 Created\r\ncontent-length: 81\r\n\r\n{\"id\":\"l1\"", false),
        _ => (LEAD, true),
    })
    .await;
    server.client().leads().create(&ann()).await.unwrap();
    let requests = server.requests();
    let key = |request: &String| request.lines().find(|line| line.starts_with("idempotency-key: ")).unwrap().to_owned();
    assert_eq!(requests.iter().map(key).collect::<std::collections::BTreeSet<_>>().len(), 1);
    assert_eq!(requests.len(), 3);

    let server =
        ScriptedServer::start(|nth| if nth == 0 { ("", false) } else { ("HTTP/1.1 204 No Content\r\n\r\n", true) })
            .await;
    server.client().leads().delete(&LeadId::parse("l1").unwrap()).await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

/// Tests a server that closes an idle connection just as the client sends the next request on it.
#[tokio::test]
async fn a_connection_that_is_closing_loses_no_call() {
    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 81\r\n\r\n\
        {\"id\":\"l1\",\"client_id\":\"c1\",\"name\":\"Ann\",\"created_at\":\"2026-05-04T07:58:12.004Z\"}";
    // The server closes the connection after each response without sending `Connection: close`.
    let server = ScriptedServer::start(|_| (OK, false)).await;
    let (client, id) = (server.client(), LeadId::parse("l1").unwrap());
    for _ in 0..50 {
        client.leads().update(&id, &LeadPatch::new().name("Ann")).await.unwrap();
    }
}
