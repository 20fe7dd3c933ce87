//! Tests of request bodies that the service does not read. Either the connection is still usable afterwards, or the
//! response announces that the connection closes.

use leadapi_server::HttpLimits;

use crate::host::{Host, Peer, SOON, endless, get, secret};

/// Returns a connection that has sent the head of a create. The server refuses the create, because it carries no token.
async fn refused(host: &Host, headers: &str) -> Peer {
    let mut peer = host.connect().await;
    peer.send(&format!("POST /v1/leads HTTP/1.1\r\nhost: x\r\n{headers}\r\n")).await;
    peer
}

fn says_close(answer: &str) -> bool {
    answer.contains("\r\nconnection: close\r\n")
}

/// The test sends the head and each piece of the body separately. The response comes only after the last piece.
#[tokio::test]
async fn a_connection_stays_usable_after_an_unread_body() {
    let host = Host::start(HttpLimits::default()).await;
    let long = "x".repeat(65_536);
    let bodies: [(&str, &[&str]); 5] = [
        ("content-length: 10\r\n", &["{\"name\":", "1}"]),
        ("content-length: 65536\r\n", &[&long]),
        // This body is longer than any that the service reads.
        ("content-length: 196608\r\n", &[&long, &long, &long]),
        ("transfer-encoding: chunked\r\n", &["4\r\n{\"a\"\r\n", "3\r\n:1}\r\n", "0\r\n\r\n"]),
        ("transfer-encoding: chunked\r\n", &["3\r\nabc\r\n0\r\n", "x-trailer: 1\r\n", "\r\n"]),
    ];
    for (headers, pieces) in bodies {
        let mut peer = refused(&host, headers).await;
        for piece in pieces {
            // The pause prevents the server from reading two pieces at once.
            peer.is_silent_for(SOON / 4).await;
            peer.send(piece).await;
        }
        let answer = peer.answer().await;
        assert!(answer.starts_with("HTTP/1.1 401") && !says_close(&answer), "{headers}: {answer}");
        peer.send(&get("/v1/clients", "")).await;
        assert!(peer.answer().await.starts_with("HTTP/1.1 200"), "{headers}");
    }
}

#[tokio::test]
async fn an_unexpected_body_on_get_is_discarded() {
    let host = Host::start(HttpLimits::default()).await;
    let mut peer = host.connect().await;
    for body in ["GET ", "12345"] {
        peer.send(&get("/v1/clients", &format!("content-length: {}\r\n", body.len()))).await;
        peer.is_silent_for(SOON / 4).await;
        peer.send(body).await;
        let answer = peer.answer().await;
        assert!(answer.starts_with("HTTP/1.1 200") && !says_close(&answer), "{answer}");
    }
}

/// The announcement stops the client from sending another request on the connection.
#[tokio::test]
async fn a_response_announces_that_the_connection_closes() {
    let mut limits = endless();
    limits.body = SOON;
    let host = Host::start(limits).await;
    let endless = format!("100001\r\n{}\r\n", "x".repeat(0x10_0001));
    for (headers, body) in [
        // Bodies that are too long to discard, with and without a declared length, and bodies that are incomplete,
        // invalid or never sent.
        ("content-length: 1048577\r\n", "x"),
        ("transfer-encoding: chunked\r\n", &endless),
        ("content-length: 9\r\n", "{"),
        ("transfer-encoding: chunked\r\n", "zz\r\n"),
        ("content-length: 9\r\nexpect: 100-continue\r\n", ""),
    ] {
        let mut peer = refused(&host, headers).await;
        peer.send(body).await;
        let answer = peer.rest().await;
        assert!(answer.starts_with("HTTP/1.1 401") && says_close(&answer), "{headers}: {answer}");
        host.assert_serves_others().await;
    }
}

/// The server closes the connection even if the service has started to read the body, because it does not read the rest
/// of the body after an error.
#[tokio::test]
async fn a_response_to_an_invalid_body_announces_the_close() {
    let host = Host::start(HttpLimits::default()).await;
    let mut peer = host.connect().await;
    let token = secret();
    let head = format!("POST /v1/leads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n");
    peer.send(&format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n")).await;
    let answer = peer.rest().await;
    assert!(answer.starts_with("HTTP/1.1 400") && says_close(&answer), "{answer}");
}

/// The response must not arrive before the end of the body. Otherwise, the server would have to reset the stream, and
/// curl 7.88 drops the response of a reset stream.
#[tokio::test]
async fn an_http_2_stream_is_not_reset_after_its_response() {
    const DATA: u8 = 0;
    const HEADERS: u8 = 1;
    const RST_STREAM: u8 = 3;
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    const WINDOW_UPDATE: u8 = 8;
    const END_STREAM: u8 = 1;
    const END_HEADERS: u8 = 4;
    let host = Host::start(HttpLimits::default()).await;
    for pieces in [1, 8] {
        let mut peer = host.connect().await;
        peer.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        peer.send_frame(SETTINGS, 0, 0, b"").await;
        // A create without a token: POST, http, the path and the authority.
        peer.send_frame(HEADERS, END_HEADERS, 1, b"\x83\x86\x04\x09/v1/leads\x01\x01x").await;
        // The ping prevents the server from reading the head and the body at once.
        peer.send_frame(PING, 0, 0, b"whatever").await;
        assert_eq!(peer.first_of(&[HEADERS, PING]).await, PING);
        for piece in 1..=pieces {
            if piece == 5 {
                // The server does not use the body, but must still enlarge the flow-control window for it.
                assert_eq!(peer.first_of(&[HEADERS, RST_STREAM, WINDOW_UPDATE]).await, WINDOW_UPDATE);
            }
            peer.send_frame(DATA, if piece == pieces { END_STREAM } else { 0 }, 1, &[b' '; 16_000]).await;
        }
        assert_eq!(peer.first_of(&[HEADERS, RST_STREAM]).await, HEADERS);
        peer.send_frame(PING, 0, 0, b"whatever").await;
        assert_eq!(peer.first_of(&[PING, RST_STREAM]).await, PING);
    }
}
