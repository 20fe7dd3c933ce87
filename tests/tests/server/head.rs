//! Tests of HEAD requests over HTTP/1.1 and HTTP/2. No response has a body, and each has the same head as the response
//! to the same GET.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_server::HttpLimits;
use leadapi_tests::{World, doubles::Gated};
use tokio::net::TcpStream;

use crate::{
    host::{Host, endless, secret},
    ready::Server,
};

/// A request, and the expected status of its response.
struct Case {
    path: String,
    headers: Vec<(String, String)>,
    status: StatusCode,
}

fn case(path: &str, headers: &[(&str, &str)], status: u16) -> Case {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Case { path: path.to_owned(), headers: headers.collect(), status: StatusCode::from_u16(status).unwrap() }
}

/// Covers the responses of both the service and the server around it.
#[tokio::test]
async fn no_response_to_head_has_a_body() {
    let token = format!("Bearer {}", secret());
    let authorization = ("authorization", token.as_str());
    let mut many = case("/v1/clients", &[authorization], 400);
    many.headers.extend((0..70).map(|nth| (format!("x-{nth}"), "y".to_owned())));
    let long = format!("/v1/leads/{}", "x".repeat(4_096));
    let host = Host::start(HttpLimits::default()).await;
    are_without_bodies(
        &host.address.to_string(),
        &[
            case("/v1/clients", &[authorization], 200),
            case("/v1/leads/none", &[authorization], 404),
            case("/v1/nowhere", &[], 404),
            case("/v1/clients", &[], 401),
            case(&long, &[], 400),
            many,
        ],
    )
    .await;
    let mut limits = endless();
    limits.requests = 0;
    let overloaded = Host::start(limits).await;
    are_without_bodies(&overloaded.address.to_string(), &[case("/v1/clients", &[authorization], 500)]).await;

    let mut limits = endless();
    limits.request = Duration::from_millis(1);
    let world = World::new().await;
    let silent = Gated::new(world.original_store.clone());
    let late = Host::of(world.store(silent), limits).await;
    are_without_bodies(&late.address.to_string(), &[case("/v1/clients", &[authorization], 500)]).await;
}

#[tokio::test]
async fn no_operator_page_has_a_body_for_head() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::on(&format!("sqlite:{}", folder.path().join("leads.db").display()), |_| {});
    let pages = ["/healthz", "/readyz", "/docs", "/docs/page.js", "/docs/openapi.json"];
    let mut cases: Vec<Case> = pages.iter().map(|page| case(page, &[], 200)).collect();
    cases.push(case("/nowhere", &[], 404));
    are_without_bodies(&server.operator, &cases).await;
}

async fn are_without_bodies(address: &str, cases: &[Case]) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut http2, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    for case in cases {
        let name = format!("{} {}", case.path, case.status);
        let (get, body) = http1(address, "GET", case).await;
        assert!(get.starts_with(&format!("HTTP/1.1 {}", case.status.as_str())), "{name}: {get}");
        assert!(get.contains(&format!("\r\ncontent-length: {}", body.len())) && !body.is_empty(), "{name}: {get}");
        let (head, body) = http1(address, "HEAD", case).await;
        assert_eq!((head, body.as_str()), (get, ""), "{name}");

        // This client closes the connection if the response to HEAD has a body.
        let (get, body) = whole(&mut http2, "GET", case).await;
        assert_eq!((get.0, body.is_empty()), (case.status, false), "{name}");
        let (head, body) = whole(&mut http2, "HEAD", case).await;
        assert_eq!((head, body.len()), (get, 0), "{name}");
    }
}

/// Returns the head and body of a response. The connection is closed afterwards.
async fn http1(address: &str, method: &str, case: &Case) -> (String, String) {
    let mut peer = crate::host::Peer(TcpStream::connect(address).await.unwrap());
    let headers: Vec<String> = case.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let path = &case.path;
    peer.send(&format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-request-id: a\r\n{headers}\r\n"
    ))
    .await;
    let answer = peer.rest().await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let mut head: Vec<&str> = head.split("\r\n").filter(|line| !line.starts_with("date: ")).collect();
    // The order of headers is irrelevant.
    head[1..].sort_unstable();
    (head.join("\r\n"), body.to_owned())
}

async fn whole(http2: &mut SendRequest<Empty<Bytes>>, method: &str, case: &Case) -> ((StatusCode, HeaderMap), Bytes) {
    let mut request = Request::builder().method(method).uri(format!("http://localhost{}", case.path));
    request = request.header("x-request-id", "a");
    for (name, value) in &case.headers {
        request = request.header(name, value);
    }
    http2.ready().await.unwrap();
    let answer = http2.send_request(request.body(Empty::new()).unwrap()).await.unwrap();
    let (mut head, body) = Response::into_parts(answer);
    head.headers.remove(header::DATE);
    ((head.status, head.headers), body.collect().await.unwrap().to_bytes())
}
