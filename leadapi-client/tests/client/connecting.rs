//! Tests of calls that end early. A call that ends while it is connecting must not count towards the rate limit. A call
//! that ends after it was sent must count.

use std::time::{Duration, Instant};

use leadapi_client::{Client, Outcome, Pacing, RetryPolicy, model::NewLead};
use tokio::net::{TcpListener, TcpStream};

use crate::support::casa_verde;

/// Creates a server that accepts connections but never answers the TLS handshake, and a client that may send one write
/// per minute.
async fn silent() -> (TcpListener, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let client = Client::builder(url, "pak_0123").pacing(Pacing::default().writes(1)).retry(RetryPolicy::none());
    (listener, client.build().unwrap())
}

#[tokio::test]
async fn a_call_dropped_while_connecting_releases_its_permit() {
    let (listener, client) = silent().await;
    let new = NewLead::new(&casa_verde(), "Ann");
    let mut connections: Vec<TcpStream> = Vec::new();
    // Each call is dropped once the server has accepted its connection.
    for _ in 0..10 {
        let create = client.leads().create(&new).timeout(Duration::from_secs(30));
        tokio::select! {
            ended = create.into_future() => panic!("completed before it was dropped: {ended:?}"),
            accepted = listener.accept() => connections.push(accepted.unwrap().0),
        }
    }
}

#[tokio::test]
async fn an_attempt_that_times_out_while_connecting_was_not_sent() {
    let (_listener, client) = silent().await;
    let new = NewLead::new(&casa_verde(), "Ann");
    for _ in 0..3 {
        let create = client.leads().create(&new).attempt_timeout(Duration::from_millis(50));
        let error = create.timeout(Duration::from_secs(5)).await.unwrap_err();
        assert!(error.is_timeout() && error.is_connect(), "{error:?}");
        assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 1));
        assert_eq!(error.to_string(), "POST /leads: connecting timed out");
    }
}

#[tokio::test]
async fn a_call_dropped_after_it_was_sent_keeps_its_permit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let client = Client::builder(url, "pak_0123").pacing(Pacing::default().writes(1)).build().unwrap();
    let new = NewLead::new(&casa_verde(), "Ann");
    let start = Instant::now();
    let request = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert_ne!(tokio::io::AsyncReadExt::read(&mut socket, &mut [0; 4_096]).await.unwrap(), 0);
        socket
    };
    tokio::select! {
        ended = client.leads().create(&new).into_future() => panic!("completed before it was dropped: {ended:?}"),
        _socket = request => {}
    }
    let error = client.leads().create(&new).timeout(Duration::from_secs(5)).await.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 0));
    // The error states when the next request is allowed.
    let wait = error.retry_after().unwrap();
    let minute = Duration::from_secs(60);
    assert!(wait <= minute && wait + start.elapsed() >= minute, "{wait:?}");
    assert!(error.to_string().starts_with("POST /leads: not sent: timed out waiting for the client-side rate limit"));
}
