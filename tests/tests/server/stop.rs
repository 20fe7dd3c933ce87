//! Tests of graceful and forced shutdowns.

use std::time::Duration;

use leadapi_server::{Server, ShutdownOutcome};
use leadapi_tests::{World, doubles::Gated, eventually, in_time};
use tokio::net::TcpStream;

use crate::host::{Host, SOON, endless, get};

const LONG: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_shutdown_closes_connections_without_a_request_at_once() {
    let host = Host::start(endless()).await;
    let mut idle = host.connect().await;
    idle.send(&get("/v1/clients", "")).await;
    idle.answer().await;
    let mut half = host.connect().await;
    half.send("GET /v1/clients HTTP/1.1\r\nho").await;
    let mut letter = host.connect().await;
    letter.send("P").await;
    let mut silent = host.connect().await;
    let mut preface = host.connect().await;
    preface.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    // Once the server has served another connection, it has noticed all of these connections.
    host.assert_serves_others().await;
    let ended = host.stop();
    assert_eq!(in_time("the shutdown", ended).await.unwrap(), ShutdownOutcome::Graceful);
    for peer in [&mut idle, &mut half, &mut letter, &mut silent] {
        assert_eq!(peer.rest().await, "");
    }
    preface.rest().await;
}

#[tokio::test]
async fn a_shutdown_waits_for_an_in_flight_request() {
    let (host, gate) = gated(|server| server).await;
    let mut peer = host.connect().await;
    peer.send(&get("/v1/clients", "")).await;
    gate.arrived(1).await;
    let address = host.address;
    let ended = host.stop();
    until_refused(address).await;
    assert!(!ended.is_finished());
    gate.open(1);
    let answer = peer.rest().await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert_eq!(in_time("the shutdown", ended).await.unwrap(), ShutdownOutcome::Graceful);
}

#[tokio::test]
async fn the_server_serves_and_announces_the_close_during_the_drain_delay() {
    let (force, forced) = tokio::sync::oneshot::channel::<()>();
    let forced = async { forced.await.unwrap_or_default() };
    let (host, gate) = gated(|server| server.drain_delay(LONG).force_shutdown(forced)).await;
    gate.open(usize::MAX >> 4);
    let mut old = host.connect().await;
    old.send(&get("/v1/clients", "")).await;
    assert!(!old.answer().await.contains("connection: close"));
    let address = host.address;
    let ended = host.stop();
    // The server answers each request with 200, and eventually announces the close in one of the responses.
    eventually("a response announces the close", async || {
        old.send(&get("/v1/clients", "")).await;
        let answer = old.answer().await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        answer.contains("\r\nconnection: close\r\n")
    })
    .await;
    let mut new = crate::host::Peer(TcpStream::connect(address).await.expect("the server still accepts connections"));
    new.send(&get("/v1/clients", "")).await;
    assert!(new.rest().await.starts_with("HTTP/1.1 200"));
    assert!(!ended.is_finished());
    force.send(()).unwrap();
    assert_eq!(in_time("the shutdown", ended).await.unwrap(), ShutdownOutcome::Graceful);
}

#[tokio::test]
async fn a_shutdown_is_forced_after_the_stop_timeout() {
    let (host, gate) = gated(|server| server.stop_timeout(SOON)).await;
    let mut peer = host.connect().await;
    peer.send(&get("/v1/clients", "")).await;
    gate.arrived(1).await;
    assert_eq!(in_time("the shutdown", host.stop()).await.unwrap(), ShutdownOutcome::Forced);
}

#[tokio::test]
async fn the_stop_timeout_includes_the_drain_delay() {
    let (host, _) = gated(|server| server.drain_delay(LONG).stop_timeout(SOON)).await;
    assert_eq!(in_time("the shutdown", host.stop()).await.unwrap(), ShutdownOutcome::Graceful);
}

#[tokio::test]
async fn a_forced_shutdown_cancels_the_requests_in_flight() {
    for (running, expected) in [(true, ShutdownOutcome::Forced), (false, ShutdownOutcome::Graceful)] {
        let (force, forced) = tokio::sync::oneshot::channel::<()>();
        let forced = async { forced.await.unwrap_or_default() };
        let (host, gate) = gated(|server| server.drain_delay(LONG).force_shutdown(forced)).await;
        let mut peer = host.connect().await;
        if running {
            peer.send(&get("/v1/clients", "")).await;
            gate.arrived(1).await;
        }
        let ended = host.stop();
        force.send(()).unwrap();
        assert_eq!(in_time("the shutdown", ended).await.unwrap(), expected);
    }
}

async fn gated(set: impl FnOnce(Server) -> Server) -> (Host, Gated) {
    let world = World::new().await;
    let gate = Gated::new(world.original_store.clone());
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().limits(endless());
    (Host::run(set(server), world.store(gate.clone()).service("/v1", None)), gate)
}

async fn until_refused(address: std::net::SocketAddr) {
    eventually("the listener is closed", async || TcpStream::connect(address).await.is_err()).await;
}
