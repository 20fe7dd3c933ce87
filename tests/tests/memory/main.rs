//! Tests with clients that request large responses and do not read them, or send a request body byte by byte. The
//! server must limit the memory for these requests while it serves other clients as usual.
//!
//! This is a separate binary, because it keeps the CPU busy, which would cause timeouts in other tests.
#![cfg(target_os = "linux")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_tests::{
    TIMEOUT, eventually,
    hostile::{
        Good, PeerKind, Target, attack,
        floods::{Flood, flood},
    },
};
use tokio::{io::AsyncWriteExt, task::JoinSet, time::interval};

/// The maximum memory of the server. Without any limits, the server uses about a gigabyte in the first of these tests.
const MAX_MEMORY: usize = 150 << 20;
const PAGE: usize = 470_000;

fn target(options: &[&str]) -> Arc<Target> {
    let options: Vec<String> = ["--log", "error"].iter().chain(options).map(|option| (*option).to_owned()).collect();
    Arc::new(Target::with_large_leads(Path::new(env!("CARGO_BIN_EXE_server")), &options))
}

/// Without a flow-control window, the server cannot send any part of a response body. Each of the two limits keeps the
/// server's memory low, alone and together with the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_without_a_window_use_bounded_memory() {
    const CONNECTIONS: usize = 24;
    const STREAMS: usize = 100;
    const UNLIMITED: &str = "1000000000000";
    let cases: [(&[&str], usize); 3] = [
        (&["--write-timeout", "2s"], MAX_MEMORY),
        (&["--write-timeout", "2s", "--max-unread-bytes", UNLIMITED], MAX_MEMORY),
        (&["--write-timeout", "2s", "--max-connection-unread-bytes", UNLIMITED], 2 * MAX_MEMORY),
    ];
    for (options, most) in cases {
        let target = target(options);
        let good = Good::start(&target);
        let all = flood(&target, Flood::ZeroWindow, CONNECTIONS, STREAMS, Duration::from_secs(4), TIMEOUT).await;
        assert!(all.iter().all(|one| one.life.is_some() || !one.is_first), "{all:?}");
        is_served_and_small(&target, good, most);
    }
}

/// Each connection stays below its own limit. Together they exceed the server's limit, so the server cuts off some of
/// them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_responses_use_bounded_memory() {
    const CONNECTIONS: usize = 400;
    let target = target(&["--write-timeout", "1h"]);
    let good = Good::start(&target);
    let mut patience = Duration::from_secs(8);
    eventually("the server cuts off a connection", async || {
        let cuts = attack(&target, PeerKind::NeverReading, CONNECTIONS, Duration::ZERO, patience).await;
        // On a busy machine, the responses need more time to exceed the limit.
        patience *= 2;
        cuts.iter().any(|cut| cut.after.is_some())
    })
    .await;
    is_served_and_small(&target, good, MAX_MEMORY);
}

fn is_served_and_small(target: &Target, good: Good, most: usize) {
    let good = good.stop();
    assert_eq!(good.failed, Vec::<String>::new(), "{} answered", good.answered());
    assert!(target.peak() < most, "{} MB", target.peak() >> 20);
}

/// Each byte arrives in its own packet, which the server receives in a buffer of several kilobytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_arrives_byte_by_byte_uses_memory_in_proportion_to_its_size() {
    const CONNECTIONS: usize = 40;
    const BYTES: usize = 1_000;
    let target = target(&["--body-timeout", "1h"]);
    let head = target.request("POST /v1/leads", "content-length: 60000\r\n", "");
    let before = target.peak();
    let mut uploads = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (mut stream, head) = (target.connect().await, head.clone());
        uploads.spawn(async move {
            stream.set_nodelay(true).unwrap();
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut pace = interval(Duration::from_millis(1));
            for _ in 0..BYTES {
                pace.tick().await;
                stream.write_all(b" ").await.unwrap();
            }
            stream
        });
    }
    let streams = uploads.join_all().await;
    let more = target.peak() - before;
    assert!(more < 20 << 20, "{} bytes took {} MB", BYTES * streams.len(), more >> 20);
}

/// The number of large responses that each connection requests exceeds the server's limit on concurrent streams.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_receives_every_response() {
    const CONNECTIONS: usize = 4;
    const REQUESTS: usize = 150;
    let target = target(&[]);
    let mut requests = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let stream = TokioIo::new(target.connect().await);
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
        tokio::spawn(connection);
        for _ in 0..REQUESTS {
            let request = Request::get("http://localhost/v1/leads?limit=200");
            let request = request.header("authorization", target.authorization()).body(Empty::<Bytes>::new()).unwrap();
            let mut sender = sender.clone();
            requests.spawn(async move {
                sender.ready().await.unwrap();
                let answer = sender.send_request(request).await.unwrap();
                assert_eq!(answer.status(), 200);
                assert!(answer.into_body().collect().await.unwrap().to_bytes().len() > PAGE);
            });
        }
    }
    assert_eq!(requests.join_all().await.len(), CONNECTIONS * REQUESTS);
}
