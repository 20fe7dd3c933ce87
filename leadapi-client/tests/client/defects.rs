//! Defects that well-known SDKs have had, over real sockets: each is a test here.

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

/// A server that does to the n-th request what a script says: answers it, or closes the connection after this much.
struct Wire {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Wire {
    async fn start(script: fn(usize) -> (&'static str, bool)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (heard, came) = (requests.clone(), connections.clone());
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                came.fetch_add(1, Ordering::Relaxed);
                let heard = heard.clone();
                tokio::spawn(async move {
                    while let Some(text) = request(&mut socket).await {
                        let nth = {
                            let mut heard = heard.lock().unwrap();
                            heard.push(text);
                            heard.len() - 1
                        };
                        let (answer, stays) = script(nth);
                        socket.write_all(answer.as_bytes()).await.unwrap_or_default();
                        if !stays {
                            break;
                        }
                    }
                });
            }
        });
        Self { url, requests, connections }
    }

    fn client(&self) -> Client {
        let quick = RetryPolicy::default().backoff(Duration::from_millis(20), Duration::from_millis(100));
        Client::builder(&self.url, "pak_0123").retry(quick).build().unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// The next request with its whole body, unless the connection ends.
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

/// octocrab sends a body again as an empty one when it cannot be cloned, and a POST without any wait.
#[tokio::test]
async fn a_body_is_sent_again_whole_and_not_at_once() {
    let wire = Wire::start(|nth| match nth {
        0..=2 => ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 1\r\n\r\n", true),
        _ => (LEAD, true),
    })
    .await;
    let begun = Instant::now();
    wire.client().leads().create(&ann()).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(3));
    let requests = wire.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| *request == requests[0] && request.ends_with("\"name\":\"Ann\"}")));
}

/// async-stripe opens a connection for every call.
///
/// The next call can begin before the thread of the connections has returned the last one to the pool, and then another
/// one is opened: once or twice, because after that the pool has a spare one.
#[tokio::test]
async fn connections_are_used_again() {
    let wire = Wire::start(|_| (LEAD, true)).await;
    let client = wire.client();
    for _ in 0..20 {
        client.clone().leads().create(&ann()).await.unwrap();
    }
    assert_eq!(wire.requests().len(), 20);
    assert!((1..=3).contains(&wire.connections.load(Ordering::Relaxed)));
}

/// async-stripe sends a POST again without a key; reqwest-retry takes a connection that was closed before or within the
/// answer for safe to repeat, whatever the method.
#[tokio::test]
async fn what_may_have_been_done_is_not_sent_again_without_a_key() {
    for script in [
        (|_| ("", false)) as fn(usize) -> (&'static str, bool),
        |_| ("HTTP/1.1 201 Created\r\ncontent-le", false),
        |_| ("HTTP/1.1 201 Created\r\ncontent-length: 81\r\n\r\n{\"id\":\"l1\"", false),
        |_| ("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", true),
    ] {
        let wire = Wire::start(script).await;
        let error = wire.client().leads().create(&ann()).without_idempotency_key().await.unwrap_err();
        assert_eq!((error.outcome(), error.attempts()), (Outcome::Unknown, 1), "{error:?}");
        assert_eq!(wire.requests().len(), 1);
    }
}

/// The same, where the caller cannot be hurt: one key for all attempts, and for calls that change nothing twice.
#[tokio::test]
async fn what_cannot_be_done_twice_is_sent_again() {
    let wire = Wire::start(|nth| match nth {
        0 => ("", false),
        1 => ("HTTP/1.1 201 Created\r\ncontent-length: 81\r\n\r\n{\"id\":\"l1\"", false),
        _ => (LEAD, true),
    })
    .await;
    wire.client().leads().create(&ann()).await.unwrap();
    let requests = wire.requests();
    let key = |request: &String| request.lines().find(|line| line.starts_with("idempotency-key: ")).unwrap().to_owned();
    assert_eq!(requests.iter().map(key).collect::<std::collections::BTreeSet<_>>().len(), 1);
    assert_eq!(requests.len(), 3);

    let wire = Wire::start(|nth| if nth == 0 { ("", false) } else { ("HTTP/1.1 204 No Content\r\n\r\n", true) }).await;
    wire.client().leads().delete(&LeadId::parse("l1").unwrap()).await.unwrap();
    assert_eq!(wire.requests().len(), 2);
}

/// A server closes a connection that was idle just when the next request goes out on it.
#[tokio::test]
async fn a_connection_that_is_closing_loses_no_call() {
    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 81\r\n\r\n\
        {\"id\":\"l1\",\"client_id\":\"c1\",\"name\":\"Ann\",\"created_at\":\"2026-05-04T07:58:12.004Z\"}";
    // Each answer is the last of its connection, and nothing says so.
    let wire = Wire::start(|_| (OK, false)).await;
    let (client, id) = (wire.client(), LeadId::parse("l1").unwrap());
    for _ in 0..50 {
        client.leads().update(&id, &LeadPatch::new().name("Ann")).await.unwrap();
    }
}
