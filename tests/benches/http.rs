//! Measures requests per second over HTTP. The baseline is a bare hyper server that reads each request and returns a
//! copy of the service's response body.
//!
//! Each server runs on one thread, and each round loads one server after the other. The load comes from another thread,
//! over 64 keep-alive connections, each of which sends the next request as soon as the response is complete. Each round
//! yields a ratio.

#![allow(
    missing_docs,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

use std::{
    convert::Infallible,
    io::{Read, Write},
    net::{SocketAddr, TcpStream as StdStream},
    thread,
    time::{Duration, Instant},
};

use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    header,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use leadapi_cost::sample;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Builder,
    task::JoinSet,
};

const CONNECTIONS: usize = 64;
/// There are many short rounds, because the other load on the machine varies over time.
const ROUNDS: usize = 41;
const ROUND: Duration = Duration::from_millis(250);

#[path = "common/allocator.rs"]
mod allocator;
#[path = "common/server.rs"]
mod server;

fn main() {
    // The sample has only 40 leads. Ten more fill a list of 50.
    let (address, token) = server::start(sample(50));
    let head = |line: &str| format!("{line} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n");
    let first = page(address, &(head("GET /v1/leads?limit=1") + "\r\n"));
    let (one, client) = (&first["data"][0]["id"], &first["data"][0]["client_id"]);
    let (one, client) = (one.as_str().unwrap(), client.as_str().unwrap());
    let new = format!(r#"{{"client_id":"{client}","name":"Ada Lovelace","email":"ada@example.org","value":450}}"#);
    let requests = [
        ("GET one", head(&format!("GET /v1/leads/{one}")) + "\r\n"),
        ("GET list of 50", head("GET /v1/leads?limit=50") + "\r\n"),
        ("POST", head("POST /v1/leads") + &format!("content-length: {}\r\n\r\n{new}", new.len())),
    ];
    println!("64 connections, {ROUNDS} rounds of {ROUND:?}; median requests per second, and median ratios per round");
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for (name, request) in requests.iter().filter(|(name, _)| name.contains(&only)) {
        let body = body_of(address, request);
        let size = body.len();
        let bare = start_bare(body);
        // The first round of each server is a warm-up.
        let rounds: Vec<(f64, f64)> =
            (0..=ROUNDS).map(|_| (load(bare, request), load(address, request))).skip(1).collect();
        let bare = median(rounds.iter().map(|(bare, _)| *bare));
        let ours = median(rounds.iter().map(|(_, ours)| *ours));
        let ratio = median(rounds.iter().map(|(bare, ours)| ours / bare));
        println!("{name:<16} {size:>6} bytes   bare {bare:>8.0}/s   leadapi {ours:>8.0}/s   ratio {ratio:.2}");
    }
}

fn start_bare(body: Bytes) -> SocketAddr {
    let (send, receive) = std::sync::mpsc::channel();
    thread::spawn(move || {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            send.send(listener.local_addr().unwrap()).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let body = body.clone();
                let answer = service_fn(move |request: Request<Incoming>| {
                    let mut response = Response::new(Full::new(body.clone()));
                    response
                        .headers_mut()
                        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
                    async {
                        // Reads the request body, as leadapi does. For a GET it is empty.
                        request.into_body().collect().await.unwrap();
                        Ok::<_, Infallible>(response)
                    }
                });
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
    });
    receive.recv().unwrap()
}

/// Returns the requests per second in one round. Assumes that all responses to this request have the same length.
fn load(address: SocketAddr, request: &str) -> f64 {
    let length = exchange(address, request).len();
    Builder::new_current_thread().enable_all().event_interval(4).build().unwrap().block_on(async {
        let mut connections = JoinSet::new();
        // This task keeps the load thread awake. Waking a thread is expensive, and a slower server would make it
        // necessary more often.
        let awake = tokio::spawn(async {
            loop {
                tokio::task::yield_now().await;
            }
        });
        let end = Instant::now() + ROUND;
        for _ in 0..CONNECTIONS {
            let request = request.as_bytes().to_vec();
            connections.spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.set_nodelay(true).unwrap();
                let (mut answer, mut answered) = (vec![0; length], 0_u32);
                while Instant::now() < end {
                    stream.write_all(&request).await.unwrap();
                    stream.read_exact(&mut answer).await.unwrap();
                    answered += 1;
                }
                answered
            });
        }
        let answered: u32 = connections.join_all().await.into_iter().sum();
        awake.abort();
        f64::from(answered) / ROUND.as_secs_f64()
    })
}

/// Sends a request and returns the whole response, head and body.
fn exchange(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = StdStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let (mut answer, mut piece) = (Vec::new(), vec![0; 65_536]);
    loop {
        let read = stream.read(&mut piece).unwrap();
        answer.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("HTTP/1.1 20"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return answer;
        }
    }
}

fn body_of(address: SocketAddr, request: &str) -> Bytes {
    let answer = exchange(address, request);
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    Bytes::from(answer).slice(head + 4..)
}

fn page(address: SocketAddr, request: &str) -> serde_json::Value {
    serde_json::from_slice(&body_of(address, request)).unwrap()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
