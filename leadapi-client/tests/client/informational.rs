//! A server that never sends a final response.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use leadapi_client::{Client, Outcome, RetryPolicy, model::Window};

/// hyper reads informational responses as fast as they come and yields only when tokio's budget of a task is used up, so
/// the timeout fires late, but it fires, and on a runtime with one thread too.
#[tokio::test(flavor = "current_thread")]
async fn endless_informational_responses_end_with_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        assert_ne!(socket.read(&mut [0; 4_096]).unwrap(), 0);
        let responses = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(4_096);
        // Until the client closes the connection.
        while socket.write_all(&responses).is_ok() {}
    });
    let builder = Client::builder(url, "pak_0123").attempt_timeout(Duration::from_millis(500));
    let client = builder.retry(RetryPolicy::none()).build().unwrap();
    let begun = Instant::now();
    let error = client.clients().list(Window::default()).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // The call takes its connection with it.
    tokio::task::spawn_blocking(move || server.join().unwrap()).await.unwrap();
}
