//! Tests against a server that sends endless informational responses (1xx).

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use leadapi_client::{Client, Outcome, RetryPolicy, model::Window};

const TIMEOUT: Duration = Duration::from_millis(500);
/// The maximum duration, even on a busy machine, of a call that has a timeout. The flood never ends, so a call without
/// a timeout would not end either.
const LATEST: Duration = Duration::from_secs(60);

/// All clients in a process share one I/O thread, so a flood in one test would delay the calls in another. The tests
/// therefore run one at a time.
static FLOODS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Starts a server that sends informational responses until the client closes the connection. Returns its URL and
/// thread.
fn flood() -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        assert_ne!(socket.read(&mut [0; 4_096]).unwrap(), 0);
        let responses = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(4_096);
        while socket.write_all(&responses).is_ok() {}
    });
    (url, server)
}

fn client(url: String) -> Client {
    Client::builder(url, "pak_0123").retry(RetryPolicy::none()).build().unwrap()
}

#[tokio::test(flavor = "current_thread")]
async fn a_flood_of_informational_responses_ends_with_the_timeout() {
    let _alone = FLOODS.lock().await;
    let (url, server) = flood();
    let client = client(url);
    let start = Instant::now();
    let error = client.client_accounts().list(Window::default()).attempt_timeout(TIMEOUT).await.unwrap_err();
    let elapsed = start.elapsed();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert!((TIMEOUT..LATEST).contains(&elapsed), "{elapsed:?}");
    // Dropping the call closes its connection, which ends the server thread.
    tokio::task::spawn_blocking(move || server.join().unwrap()).await.unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_flood_of_informational_responses_delays_no_timer_of_the_caller() {
    let _alone = FLOODS.lock().await;
    let (url, server) = flood();
    let client = client(url);
    let start = Instant::now();
    tokio::time::timeout(TIMEOUT, client.client_accounts().list(Window::default()).into_future()).await.unwrap_err();
    let elapsed = start.elapsed();
    assert!((TIMEOUT..LATEST).contains(&elapsed), "{elapsed:?}");
    tokio::task::spawn_blocking(move || server.join().unwrap()).await.unwrap();
}
