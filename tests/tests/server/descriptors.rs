//! Tests of a server with few file descriptors. It serves as many connections as it can, and closes the rest
//! immediately.

use std::path::Path;

use leadapi_tests::{eventually, hostile::Target, in_time};
use tokio::net::TcpStream;

use crate::host::Peer;

const MANY: usize = 100;

fn target(descriptors: usize) -> Target {
    let options =
        ["--first-byte-timeout", "1h", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0s"].map(str::to_owned);
    Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, Some(descriptors))
}

/// Opens a connection and sends a request. Returns the connection if the server responds, or `None` if the server
/// closes the connection.
async fn served(target: &Target) -> Option<Peer> {
    let mut peer = Peer(target.connect().await);
    // Writing fails if the server has already closed the connection.
    tokio::io::AsyncWriteExt::write_all(&mut peer.0, target.request("GET /v1/clients", "", "").as_bytes())
        .await
        .ok()?;
    let bytes = in_time("the connection is served or closed", peer.0.peek(&mut [0])).await;
    bytes.ok().filter(|bytes| *bytes > 0)?;
    let answer = peer.answer().await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    Some(peer)
}

pub(crate) async fn is_ready(target: &Target) -> bool {
    let mut peer = Peer(TcpStream::connect(target.operator.unwrap()).await.unwrap());
    peer.send("GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    peer.rest().await.starts_with("HTTP/1.1 200")
}

#[tokio::test]
async fn few_descriptors_limit_connections_and_the_server_stays_ready() {
    for (descriptors, least) in [(64, 20), (32, 1)] {
        let target = target(descriptors);
        let (mut open, mut closed) = (Vec::new(), 0);
        for _ in 0..MANY {
            match served(&target).await {
                Some(peer) => open.push(peer),
                None => closed += 1,
            }
        }
        assert!(
            open.len() >= least && closed > 0,
            "with {descriptors} descriptors, {} connections were served and {closed} closed",
            open.len()
        );
        assert!(is_ready(&target).await, "{descriptors}");
        for peer in &mut open {
            peer.send(&target.request("GET /v1/clients", "", "")).await;
            assert!(peer.answer().await.starts_with("HTTP/1.1 200"));
        }
        drop(open);
        drop(eventually("a connection is served again", async || served(&target).await).await);
        let log = target.log();
        assert!(!log.contains("could not be accepted"), "{log}");
    }
}

/// The limit drops only after the start, so the server cannot have sized its connection limit accordingly.
#[tokio::test]
async fn connections_are_closed_at_once_when_file_descriptors_run_out() {
    let target = target(64);
    let mut old = served(&target).await.unwrap();
    target.limit_descriptors(target.descriptors() + 2);
    let mut open = Vec::new();
    while let Some(peer) = served(&target).await {
        open.push(peer);
        assert!(open.len() < 10, "the limit must take effect");
    }
    for _ in 0..10 {
        assert!(served(&target).await.is_none());
        old.send(&target.request("GET /v1/clients", "", "")).await;
        assert!(old.answer().await.starts_with("HTTP/1.1 200"));
    }
    target.limit_descriptors(64);
    assert!(served(&target).await.is_some());
    drop((open, old));
    let log = target.log();
    let warnings = log.lines().filter(|line| line.contains("a connection could not be accepted")).count();
    assert!((1..=10).contains(&warnings), "{log}");
}
