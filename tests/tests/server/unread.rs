//! Bodies that nobody reads: the connection goes on behind them, or the answer says that it does not.

use leadapi_server::HttpLimits;

use crate::host::{Host, Peer, SOON, endless, get};

/// A connection that has sent the head of a create that is refused for its token.
async fn refused(host: &Host, headers: &str) -> Peer {
    let mut peer = host.connect().await;
    peer.send(&format!("POST /v1/leads HTTP/1.1\r\nhost: x\r\n{headers}\r\n")).await;
    peer
}

fn says_close(answer: &str) -> bool {
    answer.contains("\r\nconnection: close\r\n")
}

/// The head and each piece of the body are sent for themselves, and the answer waits for the last of them.
#[tokio::test]
async fn a_connection_goes_on_behind_a_body_that_nobody_read() {
    let host = Host::start(HttpLimits::default()).await;
    let long = "x".repeat(65_536);
    let bodies: [(&str, &[&str]); 4] = [
        ("content-length: 10\r\n", &["{\"name\":", "1}"]),
        ("content-length: 65536\r\n", &[&long]),
        ("transfer-encoding: chunked\r\n", &["4\r\n{\"a\"\r\n", "3\r\n:1}\r\n", "0\r\n\r\n"]),
        ("transfer-encoding: chunked\r\n", &["3\r\nabc\r\n0\r\n", "x-trailer: 1\r\n", "\r\n"]),
    ];
    for (headers, pieces) in bodies {
        let mut peer = refused(&host, headers).await;
        for piece in pieces {
            // So that none of them lies beside the one before.
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
async fn a_body_of_a_request_that_has_none_is_passed_over_too() {
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

/// The client is told, so that it does not use a connection that is being closed.
#[tokio::test]
async fn an_answer_says_where_the_connection_ends() {
    let mut limits = endless();
    limits.body = SOON;
    let host = Host::start(limits).await;
    let endless = format!("11000\r\n{}\r\n", "x".repeat(0x11000));
    for (headers, body) in [
        // It is too long to be passed over, by its own word or not, or does not come, or is not to come.
        ("content-length: 65537\r\n", "x"),
        ("transfer-encoding: chunked\r\n", &endless),
        ("content-length: 9\r\n", "{"),
        ("content-length: 9\r\nexpect: 100-continue\r\n", ""),
    ] {
        let mut peer = refused(&host, headers).await;
        peer.send(body).await;
        let answer = peer.rest().await;
        assert!(answer.starts_with("HTTP/1.1 401") && says_close(&answer), "{headers}: {answer}");
        host.is_well().await;
    }
}
