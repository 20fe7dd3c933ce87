//! Tests of the network client on minimal executors: without a runtime, on a runtime without timers and sockets, and on
//! a runtime that shuts down before the next call.
//!
//! This is a separate test program, because the panic hook and the I/O thread are global to the process.
#![cfg(all(test, feature = "reqwest"))]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    env, io,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    panic,
    process::Command,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use leadapi_client::{Client, Error, Outcome, RetryPolicy, model::Window};
use tokio::runtime::{Builder, Runtime};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts all later panics, including caught ones.
fn count_panics() {
    static HOOK: LazyLock<()> = LazyLock::new(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            hook(info);
        }));
    });
    *HOOK;
}

/// A threaded server that answers each request with an empty page, and a client for it.
struct Server {
    client: Client,
    connections: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        count_panics();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let accepted = connections.clone();
        thread::spawn(move || {
            for socket in listener.incoming() {
                accepted.fetch_add(1, Ordering::Relaxed);
                thread::spawn(|| respond(socket.unwrap()).unwrap_or_default());
            }
        });
        let client = Client::builder(url, "pak_0123").retry(RetryPolicy::none()).build().unwrap();
        Self { client, connections }
    }

    async fn call(&self) -> Result<u64, Error> {
        self.client
            .client_accounts()
            .list(Window::default())
            .timeout(Duration::from_secs(60))
            .await
            .map(|page| page.total)
    }
}

fn respond(mut socket: TcpStream) -> io::Result<()> {
    const BODY: &str = r#"{"data":[],"total":7,"limit":50,"offset":0}"#;
    let mut request = Vec::new();
    let mut byte = [0];
    while socket.read(&mut byte)? != 0 {
        request.extend(byte);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            write!(socket, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{BODY}", BODY.len())?;
        }
    }
    Ok(())
}

fn assert_no_panic() {
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
}

#[test]
fn a_call_needs_no_runtime() {
    let server = Server::start();
    assert_eq!(futures_executor::block_on(server.call()).unwrap(), 7);
    assert_no_panic();
}

#[test]
fn a_call_needs_neither_timers_nor_sockets_of_its_runtime() {
    let server = Server::start();
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        assert_eq!(builder.build().unwrap().block_on(server.call()).unwrap(), 7);
    }
    assert_no_panic();
}

#[test]
fn a_timeout_ignores_the_paused_clock_of_the_runtime() {
    let server = Server::start();
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    assert_eq!(runtime.block_on(server.call()).unwrap(), 7);
    assert_no_panic();
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn a_connection_outlives_the_runtime_of_its_first_call() {
    let server = Server::start();
    for _ in 0..20 {
        assert_eq!(current_thread().block_on(server.call()).unwrap(), 7);
    }
    // The count may exceed 1: a call can start before the last connection has returned to the pool.
    assert!((1..=3).contains(&server.connections.load(Ordering::Relaxed)));
    assert_no_panic();
}

/// The test runs itself as a child process, with a thread stack size that no system can allocate.
#[test]
fn without_the_io_thread_nothing_is_sent() {
    const NAME: &str = "without_the_io_thread_nothing_is_sent";
    const STACK: (&str, &str) = ("RUST_MIN_STACK", "4611686018427387904");
    if env::var(STACK.0).as_deref() != Ok(STACK.1) {
        let program = env::current_exe().unwrap();
        let output = Command::new(program).args(["--exact", NAME, "--test-threads=1"]).env(STACK.0, STACK.1).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let client = Client::builder("http://127.0.0.1:9", "pak_0123").retry(RetryPolicy::none()).build().unwrap();
    let error = futures_executor::block_on(client.client_accounts().list(Window::default()).into_future()).unwrap_err();
    assert_eq!(error.outcome(), Outcome::NotSent);
    assert!(error.to_string().starts_with("GET /clients: could not start the I/O thread: "), "{error}");
    assert!(error.is_retryable(), "the next attempt may start the thread");
}
