//! Tests that the server never serves a request that is hidden in another request, over direct connections and through
//! third-party proxies.

use std::{collections::HashMap, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use leadapi_tests::{
    TIMEOUT,
    hostile::{
        Target,
        smuggling::{After, Case, Proxy, cases, hidden, next},
    },
};
use tokio::net::TcpStream;

use crate::host::Peer;

const AT_A_TIME: usize = 32;
/// How long to wait for a proxy to close a connection. The test does not fail if the proxy keeps it open.
const PROXY_PATIENCE: Duration = Duration::from_secs(8);

fn target() -> Target {
    // The timeouts are short, because in many cases the server waits for the rest of a request.
    let options = ["--head-timeout", "1s", "--body-timeout", "1s", "--idle-timeout", "3s"].map(str::to_owned);
    Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, None)
}

/// Sends every case. Returns an error for each connection that stayed open.
async fn send(all: &Arc<Vec<Case>>, to: SocketAddr, authorization: &str, patience: Duration) -> Vec<String> {
    let sent = stream::iter(all.iter().enumerate()).map(|(nth, case)| async move {
        let sent = case.send(nth, to, authorization, patience).await;
        sent.err().map(|error| format!("{nth} {}: the connection stayed open: {error}", case.name))
    });
    sent.buffer_unordered(AT_A_TIME).filter_map(std::future::ready).collect().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_hidden_request_is_served() {
    let target = target();
    let all = Arc::new(cases(&target.authorization()));
    assert!(all.len() >= 300, "{}", all.len());
    let mut wrong = send(&all, target.address, &target.authorization(), TIMEOUT).await;
    let seen = target.seen();
    for (nth, case) in all.iter().enumerate() {
        let mut check = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{nth} {}: {what}", case.name));
            }
        };
        check(!seen.contains_key(&hidden(nth)), "the hidden request was served");
        let went_on = seen.contains_key(&next(nth));
        check(case.after != After::Closed || !went_on, "the following request was served");
        check(case.after != After::Served || went_on, "the following request was not served");
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// A smuggled request could contain the header in which a proxy names a person.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_listener_refuses_ambiguous_requests() {
    let loopback = "127.0.0.1:0";
    let options = ["--ops-listen", loopback, "--admin-listen", loopback, "--mcp-listen", loopback].map(str::to_owned);
    let target = Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, None);
    for listener in [Some(target.address), target.operator, target.settings, target.mcp] {
        for ambiguous in [
            "GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\naccept: */*\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "CONNECT localhost:80 HTTP/1.1\r\nhost: localhost:80\r\n\r\n",
        ] {
            let mut peer = Peer(TcpStream::connect(listener.unwrap()).await.unwrap());
            peer.send(ambiguous).await;
            let answer = peer.rest().await;
            let is_refused = answer.starts_with("HTTP/1.1 400 ") && answer.contains("\r\nconnection: close\r\n");
            assert!(is_refused, "{listener:?} {ambiguous}: {answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_smuggled_through_nginx() {
    let target = target();
    let Some(proxy) = Proxy::nginx(target.address) else { return };
    through(target, &proxy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_smuggled_through_haproxy() {
    let target = target();
    let Some(proxy) = Proxy::haproxy(target.address) else { return };
    through(target, &proxy).await;
}

/// Sends every case through a proxy, which adds a header to each request that it forwards. A request hidden in a body
/// lacks this header.
async fn through(target: Target, proxy: &Proxy) {
    let all = Arc::new(cases(&target.authorization()));
    // Errors are ignored, because a proxy may keep its client's connection open.
    drop(send(&all, proxy.address, &target.authorization(), PROXY_PATIENCE).await);
    let seen: HashMap<String, Vec<String>> = target.seen();
    let unmarked = seen.iter().filter(|(_, ids)| ids.iter().any(|id| !id.starts_with(Proxy::MARK)));
    let unmarked: Vec<_> = unmarked.collect();
    assert!(unmarked.is_empty(), "{unmarked:?}");
    // The proxy must have forwarded some of the requests that follow a case, or the test would prove nothing.
    let went_on = (0..all.len()).filter(|nth| seen.contains_key(&next(*nth))).count();
    assert!(went_on >= 20, "{went_on}");
}
