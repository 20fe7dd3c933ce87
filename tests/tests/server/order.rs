//! Tests that the limits on the size of a request apply before the contract's checks (D1), over HTTP/1.1 and HTTP/2.

use bytes::Bytes;
use http::Request;
use http_body_util::Empty;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_server::HttpLimits;
use tokio::net::TcpStream;

use crate::host::{Host, Peer};

/// The number of headers that `http1` adds to each request: `host` and `connection`. `http2` adds none.
const OWN_HEADERS: usize = 2;

#[tokio::test]
async fn size_limits_are_checked_before_path_method_and_token() {
    let host = Host::start(HttpLimits::default()).await;
    let (long, large) = ("x".repeat(4_096), "y".repeat(16_384));
    // Each row contains a method, a path, the number of headers, the value of one header, and the expected statuses
    // over HTTP/1.1 and HTTP/2. Without the size limits, the first seven requests would get 404, 405 or 401.
    for (method, path, headers, value, statuses) in [
        ("GET", "/v1/nowhere", 65, "y", (400, 400)),
        ("DELETE", "/v1/clients", 65, "y", (400, 400)),
        ("GET", "/v1/clients", 65, "y", (400, 400)),
        ("GET", "/v1/clients", 101, "y", (431, 400)),
        ("GET", "/v1/clients", 3, large.as_str(), (431, 431)),
        ("GET", &format!("/v1/{long}"), 2, "y", (400, 400)),
        ("DELETE", &format!("/v1/clients?{long}"), 2, "y", (400, 400)),
        ("GET", "/v1/nowhere", 64, "y", (404, 404)),
        ("DELETE", "/v1/clients", 64, "y", (405, 405)),
        ("GET", "/v1/clients", 64, "y", (401, 401)),
    ] {
        let name = format!("{method} {path:.20} {headers}");
        let mut fields: Vec<(String, &str)> = (0..headers - OWN_HEADERS).map(|nth| (format!("x-{nth}"), "y")).collect();
        if let Some(first) = fields.first_mut() {
            first.1 = value;
        }
        assert_eq!((http1(&host, method, path, &fields).await, &*name), (statuses.0, &*name));
        fields.extend((0..OWN_HEADERS).map(|nth| (format!("z-{nth}"), "y")));
        assert_eq!((http2(&host, method, path, &fields).await, &*name), (statuses.1, &*name));
    }
}

async fn http1(host: &Host, method: &str, path: &str, fields: &[(String, &str)]) -> u16 {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let fields = fields.concat();
    let mut peer: Peer = host.connect().await;
    peer.send(&format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{fields}\r\n")).await;
    peer.rest().await["HTTP/1.1 ".len()..][..3].parse().unwrap()
}

async fn http2(host: &Host, method: &str, path: &str, fields: &[(String, &str)]) -> u16 {
    let stream = TokioIo::new(TcpStream::connect(host.address).await.unwrap());
    let (mut sender, connection): (SendRequest<Empty<Bytes>>, _) =
        handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(format!("http://x{path}"));
    for (name, value) in fields {
        request = request.header(name, *value);
    }
    sender.send_request(request.body(Empty::new()).unwrap()).await.unwrap().status().as_u16()
}
