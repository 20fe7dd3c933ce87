//! Tests of peers that use their connection too slowly or not at all. In most tests, one short timeout cuts them off,
//! and the other timeouts never expire.

use leadapi_server::HttpLimits;
use leadapi_tests::{eventually, in_time};
use tokio::{io::AsyncWriteExt, time::Instant};

use crate::host::{Host, SOON, endless, get, post};

/// Sends these bytes and returns the response. Checks that the server closes the connection in time but not too early,
/// and that it still serves other connections.
async fn is_cut(limits: HttpLimits, sends: &[u8]) -> String {
    let host = Host::start(limits).await;
    let mut peer = host.connect().await;
    let start = Instant::now();
    peer.0.write_all(sends).await.unwrap();
    let answer = peer.rest().await;
    let took = start.elapsed();
    assert!(took >= SOON, "{took:?}");
    host.assert_serves_others().await;
    answer
}

#[tokio::test]
async fn a_silent_connection_is_cut_off_by_the_first_byte_timeout() {
    let mut limits = endless();
    limits.first_byte = SOON;
    assert_eq!(is_cut(limits, b"").await, "");
}

#[tokio::test]
async fn half_a_head_is_cut_off_by_the_head_timeout() {
    for half in ["G", "GET /v1/leads HTT", "GET /v1/leads HTTP/1.1\r\nhost: x\r\naccept: "] {
        let mut limits = endless();
        limits.head = SOON;
        assert_eq!(is_cut(limits, half.as_bytes()).await, "", "{half}");
    }
}

/// A connection may stay idle for a while before its first request.
#[tokio::test]
async fn the_head_timeout_starts_with_the_first_byte() {
    let mut limits = endless();
    limits.head = SOON;
    let host = Host::start(limits).await;
    let mut peer = host.connect().await;
    tokio::time::sleep(SOON).await;
    let start = Instant::now();
    peer.send("GET /v1").await;
    assert_eq!(peer.rest().await, "");
    assert!(start.elapsed() >= SOON, "{:?}", start.elapsed());
}

/// These bytes could begin an HTTP/2 connection or an HTTP/1.1 request, so the first-byte timeout applies.
#[tokio::test]
async fn an_ambiguous_prefix_is_cut_off_by_the_first_byte_timeout() {
    for half in ["P", "PRI * HTTP/2.0\r\n\r\nSM"] {
        let mut limits = endless();
        limits.first_byte = SOON;
        assert_eq!(is_cut(limits, half.as_bytes()).await, "", "{half}");
    }
}

#[tokio::test]
async fn a_head_sent_byte_by_byte_is_cut_off_by_the_head_timeout() {
    let mut limits = endless();
    limits.head = SOON;
    let host = Host::start(limits).await;
    let mut peer = host.connect().await;
    let (mut read, mut write) = peer.0.split();
    let drip = async {
        // Continues until the server closes the connection.
        while write.write_all(b"G").await.is_ok() {
            tokio::time::sleep(SOON / 20).await;
        }
    };
    let mut all = Vec::new();
    let closed = async {
        tokio::select! {
            () = drip => {}
            _ = tokio::io::AsyncReadExt::read_to_end(&mut read, &mut all) => {}
        }
    };
    in_time("the server closes the connection", closed).await;
    assert_eq!(all, b"");
    host.assert_serves_others().await;
}

#[tokio::test]
async fn half_a_body_is_400_after_the_body_timeout() {
    let mut limits = endless();
    limits.body = SOON;
    let request = post(r#"{"client_id":"a-client-1","name":"Ann"}"#, "");
    let answer = is_cut(limits, &request.as_bytes()[..request.len() - 5]).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.ends_with(r#"{"error":"body could not be read to its end"}"#), "{answer}");
}

#[tokio::test]
async fn an_idle_connection_is_closed_by_the_idle_timeout() {
    let mut limits = endless();
    limits.idle = SOON;
    let answer = is_cut(limits, get("/v1/clients", "").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// The head timeout also applies to later requests on the connection.
#[tokio::test]
async fn half_of_a_later_head_is_cut_off_by_the_head_timeout() {
    let mut limits = endless();
    limits.head = SOON;
    let host = Host::start(limits).await;
    let mut peer = host.connect().await;
    peer.send(&get("/v1/clients", "")).await;
    peer.answer().await;
    peer.send("GET /v1").await;
    assert_eq!(peer.rest().await, "");
}

#[tokio::test]
async fn a_peer_that_never_reads_is_cut_off_by_the_write_timeout() {
    let mut limits = endless();
    limits.write = SOON;
    let host = Host::start(limits).await;
    let mut peer = host.connect().await;
    let request = get("/v1/leads?limit=200", "");
    // Unread responses fill the socket buffers, and the server then stops reading requests.
    let flood = async { while peer.0.write_all(request.as_bytes()).await.is_ok() {} };
    in_time("the server closes the connection", flood).await;
    host.assert_serves_others().await;
}

#[tokio::test]
async fn a_lone_http_2_preface_is_cut_off_by_the_head_timeout() {
    let mut limits = endless();
    limits.head = SOON;
    // The server sends a SETTINGS frame but no response.
    let answer = is_cut(limits, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!answer.contains("HTTP/1.1"), "{answer}");
}

/// If a peer keeps sending after the final response, the server does not reset the connection immediately, because the
/// reset could destroy the response. However, it does not wait for long.
#[tokio::test]
async fn a_peer_that_sends_after_the_final_response_is_cut_off() {
    let mut limits = endless();
    limits.age = SOON;
    let host = Host::start(limits).await;
    let asks = get("/v1/clients", "connection: close\r\n");
    let (preface, answer) = ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", [0, 0, 8, 6, 1, 0, 0, 0, 0]);
    for (opening, closing) in [(asks.as_str(), None), (preface, Some(answer))] {
        let mut peer = host.connect().await;
        let mut start = Instant::now();
        peer.send(opening).await;
        if let Some(answer) = closing {
            let ping = peer.frame(6).await;
            start = Instant::now();
            peer.0.write_all(&[&answer[..], &ping].concat()).await.unwrap();
        }
        peer.rest().await;
        let mut sent = 0;
        let sends_on = async {
            while peer.0.write_all(b"more").await.is_ok() {
                sent += 1;
                tokio::time::sleep(SOON / 20).await;
            }
        };
        in_time("the server closes the connection", sends_on).await;
        assert!(start.elapsed() > SOON * 2, "{sent} in {:?}: {opening}", start.elapsed());
    }
}

#[tokio::test]
async fn a_connection_past_its_age_is_closed_after_its_next_response() {
    let mut limits = endless();
    limits.age = SOON;
    let host = Host::start(limits).await;
    // On a busy machine, a connection may exceed its age before its first response.
    let mut peer = eventually("a young connection is kept", async || {
        let mut peer = host.connect().await;
        peer.send(&get("/v1/clients", "")).await;
        (!peer.answer().await.contains("connection: close")).then_some(peer)
    })
    .await;
    // If the server closed the idle connection, it could do so just as the peer sends a request.
    peer.is_silent_for(SOON * 2).await;
    peer.send(&get("/v1/clients", "")).await;
    let answer = peer.rest().await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
}

/// The limits must not affect a peer that stays within them.
#[tokio::test]
async fn a_slow_but_honest_peer_is_served() {
    let host = Host::start(HttpLimits::default()).await;
    let mut peer = host.connect().await;
    for _ in 0..3 {
        let request = post(r#"{"client_id":"a-client-1","name":"Ann"}"#, "");
        for piece in request.as_bytes().chunks(40) {
            peer.0.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        let answer = peer.answer().await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}
