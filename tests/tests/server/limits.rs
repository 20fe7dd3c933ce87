//! Tests of the limits on connections, and on the number, size and duration of requests.

use std::sync::Arc;

use leadapi_core::id::BusinessId;
use leadapi_core::port::Store;
use leadapi_tests::{World, doubles::Gated, equals, eventually, in_time};
use tokio::io::AsyncWriteExt;

use crate::host::{Host, Peer, SOON, endless, get, post, secret};

#[tokio::test]
async fn a_connection_beyond_the_limit_is_closed_at_once() {
    let mut limits = endless();
    limits.connections = 2;
    let host = Host::start(limits).await;
    let (mut first, mut second) = (host.connect().await, host.connect().await);
    for peer in [&mut first, &mut second] {
        peer.send(&get("/v1/clients", "")).await;
        assert!(peer.answer().await.starts_with("HTTP/1.1 200"));
    }
    assert_eq!(host.request(&get("/v1/clients", "")).await, "");
    first.send(&get("/v1/clients", "")).await;
    assert!(first.answer().await.starts_with("HTTP/1.1 200"));
    drop(second);
    // The server releases the permit once it notices that the client has closed the connection.
    is_served_again(&host).await;
}

/// Waits until the server serves a new connection.
async fn is_served_again(host: &Host) {
    // Uses an unknown path, because a request to the store may block.
    let request = get("/v1/nowhere", "connection: close\r\n");
    eventually("a connection is served", async || !host.request(&request).await.is_empty()).await;
}

/// Opens a connection from this source address and keeps it open. Returns whether the server served it.
#[cfg(target_os = "linux")]
async fn is_served_from(host: &Host, address: &str, kept: &mut Vec<Peer>) -> bool {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    let mut peer = Peer(socket.connect(host.address).await.unwrap());
    // Writing fails if the server has already closed the connection.
    if peer.0.write_all(get("/v1/nowhere", "").as_bytes()).await.is_err() {
        return false;
    }
    let bytes = in_time("the connection is served or closed", peer.0.peek(&mut [0])).await;
    kept.push(peer);
    bytes.is_ok_and(|bytes| bytes > 0)
}

/// Connections from a single address must not use up the limit for all connections.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_connection_limit_per_address_does_not_affect_other_addresses() {
    for (limit, third) in [(2, false), (0, true)] {
        let mut limits = endless();
        limits.address_connections = limit;
        let host = Host::start(limits).await;
        let mut kept = Vec::new();
        assert!(is_served_from(&host, "127.0.0.2", &mut kept).await);
        assert!(is_served_from(&host, "127.0.0.2", &mut kept).await);
        assert_eq!(is_served_from(&host, "127.0.0.2", &mut kept).await, third);
        assert!(is_served_from(&host, "127.0.0.3", &mut kept).await);
        kept.clear();
        // The server releases the permits once it notices that the client has closed the connections.
        eventually("a connection is served", async || is_served_from(&host, "127.0.0.2", &mut kept).await).await;
    }
}

/// Returns a world whose store blocks, the gate that unblocks the store, and the underlying store.
async fn gated() -> (World, Gated, Arc<dyn Store>) {
    let world = World::new().await;
    let kept = world.original_store.clone();
    let gate = Gated::new(kept.clone());
    (world.store(gate.clone()), gate, kept)
}

#[tokio::test]
async fn a_request_beyond_the_limit_is_500_with_retry_after() {
    let (world, gate, _) = gated().await;
    let mut limits = endless();
    limits.requests = 2;
    let host = Host::of(world, limits).await;
    let (mut first, mut second) = (host.connect().await, host.connect().await);
    // A create whose body has been read stays in flight until the service has answered it.
    first.send(&get("/v1/clients", "")).await;
    second.send(&post(r#"{"client_id":"a-client-1","name":"Ann"}"#, "")).await;
    gate.arrived(2).await;
    let answer = host.request(&get("/v1/clients", "connection: close\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n") && answer.ends_with(r#"{"error":"internal error"}"#), "{answer}");
    gate.open(3);
    assert!(first.answer().await.starts_with("HTTP/1.1 200"));
    assert!(second.answer().await.starts_with("HTTP/1.1 201"));
    host.assert_serves_others().await;
}

/// Requests with a single token must not use up the capacity that all callers share.
#[tokio::test]
async fn the_request_limit_per_token_does_not_affect_other_tokens() {
    let (world, gate, _) = gated().await;
    let mut limits = endless();
    limits.token_requests = 2;
    let host = Host::of(world, limits).await;
    let mut running = [host.connect().await, host.connect().await];
    for peer in &mut running {
        peer.send(&get("/v1/clients", "")).await;
    }
    gate.arrived(2).await;
    let answer = host.request(&get("/v1/clients", "connection: close\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n") && answer.ends_with(r#"{"error":"internal error"}"#), "{answer}");
    let other = leadapi_tests::Token::Read.secret().unwrap();
    let other = get("/v1/clients", "connection: close\r\n").replace(&secret(), &other);
    gate.open(3);
    assert!(host.request(&other).await.starts_with("HTTP/1.1 200"));
    for peer in &mut running {
        assert!(peer.answer().await.starts_with("HTTP/1.1 200"));
    }
    // The permits are free again.
    assert!(host.request(&get("/v1/nowhere", "connection: close\r\n")).await.starts_with("HTTP/1.1 404"));
}

/// If a request held a permit while it waited for its body, a few peers that each send half a body could lock out all
/// other callers.
#[tokio::test]
async fn a_request_that_waits_for_its_body_holds_no_permit() {
    let (world, gate, _) = gated().await;
    let mut limits = endless();
    limits.requests = 1;
    let host = Host::of(world, limits).await;
    let request = post(r#"{"client_id":"a-client-1","name":"Ann"}"#, "");
    let (half, rest) = request.split_at(request.len() - 5);
    let mut waiting = [host.connect().await, host.connect().await];
    for peer in &mut waiting {
        peer.send(half).await;
        // Once the server has served another connection, it has also read the half-sent request.
        host.assert_serves_others().await;
    }
    // This request takes the only permit. When their bodies arrive, the other requests wait for a permit instead of
    // being refused.
    let mut running = host.connect().await;
    running.send(&get("/v1/clients", "")).await;
    gate.arrived(1).await;
    for peer in &mut waiting {
        peer.send(rest).await;
    }
    let one_more = async || host.request(&get("/v1/clients", "connection: close\r\n")).await;
    let answer = one_more().await;
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    gate.open(1);
    assert!(running.answer().await.starts_with("HTTP/1.1 200"));
    // One of the waiting requests now has its permit.
    gate.arrived(1).await;
    let answer = one_more().await;
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    gate.open(usize::MAX >> 4);
    for peer in &mut waiting {
        let answer = peer.answer().await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    host.assert_serves_others().await;
}

#[tokio::test]
async fn a_request_timeout_is_500_and_the_write_completes() {
    let (world, gate, kept) = gated().await;
    let mut limits = endless();
    limits.request = SOON;
    let host = Host::of(world, limits).await;
    let mut peer = host.connect().await;
    peer.send(&post(r#"{"client_id":"a-client-1","name":"Late"}"#, "")).await;
    let answer = peer.answer().await;
    assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    gate.open(1);
    until_one_more_lead_is_stored(&kept).await;
}

#[tokio::test]
async fn a_write_completes_after_its_client_disconnects() {
    let (world, gate, kept) = gated().await;
    let mut limits = endless();
    limits.connections = 1;
    let host = Host::of(world, limits).await;
    let mut peer = host.connect().await;
    peer.send(&post(r#"{"client_id":"a-client-1","name":"Gone"}"#, "")).await;
    gate.arrived(1).await;
    drop(peer);
    // The server accepts a connection again once it notices that the old one is closed.
    is_served_again(&host).await;
    // The shutdown also waits for the write.
    let ended = host.stop();
    gate.open(1);
    assert_eq!(in_time("the shutdown", ended).await.unwrap(), leadapi_server::ShutdownOutcome::Graceful);
    assert_eq!(leads(&kept).await, WITH_ONE_MORE);
}

const WITH_ONE_MORE: u64 = 7;

async fn leads(kept: &Arc<dyn Store>) -> u64 {
    let business = BusinessId::parse("biz-a").unwrap();
    let listed = kept.list(&business, &leadapi_core::model::LeadQuery::new()).await.unwrap();
    let leadapi_core::port::Listed::Page(page) = listed else { panic!("no page") };
    page.total
}

async fn until_one_more_lead_is_stored(kept: &Arc<dyn Store>) {
    eventually("the lead is stored", async || equals(leads(kept).await, &WITH_ONE_MORE)).await;
}

#[tokio::test]
async fn requests_with_too_many_headers_or_bytes_are_refused() {
    let host = Host::start(endless()).await;
    let close = "connection: close\r\n";
    let many = |more: usize| (0..more).map(|n| format!("x-{n}: y\r\n")).collect::<Vec<_>>().concat();
    // The headers that each request already has are `host`, `authorization` and `connection`.
    let own = 3;
    let answer = host.request(&get("/v1/clients", &(close.to_owned() + &many(64 - own)))).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = host.request(&get("/v1/clients", &(close.to_owned() + &many(65 - own)))).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.ends_with(r#"{"error":"headers must be at most 64"}"#), "{answer}");

    let path = |bytes: usize| format!("/v1/leads/{}", "x".repeat(bytes - "/v1/leads/".len()));
    let answer = host.request(&get(&path(4_096), close)).await;
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let answer = host.request(&get(&path(4_097), close)).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.ends_with(r#"{"error":"path and query must be at most 4096 bytes"}"#), "{answer}");

    // hyper itself sends this response, with an empty body.
    let answer = host.request(&get("/v1/clients", &format!("x: {}\r\n", "y".repeat(16_384)))).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    host.assert_serves_others().await;
}
