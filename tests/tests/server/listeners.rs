//! Additional listeners of a server, for services of an embedding program.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use axum::{Extension, Router, routing::get as get_page};
use http::{Request, Response};
use leadapi_access::Peer as Sender;
use leadapi_core::{
    dataset::Dataset,
    http::ResponseBody,
    memory::{MemorySettings, SystemClock},
};
use leadapi_mcp::{Authenticator, McpService};
use leadapi_pages::{Reference, SettingsPages, VerifiedPerson};
use leadapi_server::{HttpLimits, Listener, RequestBody, Server, ShutdownOutcome, Socket};
use leadapi_tests::{Token, World, eventually, in_time};
use tokio::{net::TcpStream, sync::Notify};
use tower::{ServiceExt, service_fn};

use crate::host::{Host, Peer, SOON, endless, get};

async fn socket() -> (Socket, SocketAddr) {
    let socket = Socket::bind(&"127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

async fn host(listener: impl FnOnce(&leadapi_server::Host) -> Listener + Send + 'static) -> Host {
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().limits(endless());
    Host::run(server.listener_with(listener), World::new().await.service("/v1", None))
}

async fn response(address: SocketAddr, request: &str) -> String {
    let mut peer = Peer(TcpStream::connect(address).await.unwrap());
    peer.send(request).await;
    peer.rest().await
}

#[tokio::test]
async fn an_application_gets_the_address_of_its_callers_and_no_ambiguous_request() {
    let page = |Extension(peer): Extension<Sender>| async move { format!("{peer:?}") };
    let (socket, address) = socket().await;
    let _host = host(move |_| Listener::new(socket, Router::new().route("/", get_page(page)))).await;
    let answer = response(address, &get("/", "connection: close\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("Address(127.0.0.1)"), "{answer}");
    let answer = response(address, &get("/", "host: b.example\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("host must be given once"), "{answer}");
}

#[tokio::test]
async fn idle_peers_do_not_use_up_a_further_listener() {
    let (socket, address) = socket().await;
    let service =
        service_fn(|_: Request<RequestBody>| async { Ok::<_, Infallible>(Response::new(ResponseBody::from("hello"))) });
    let _host = host(move |_| Listener::new(socket, service).limits(HttpLimits::default().small(4))).await;
    let mut idle = Vec::new();
    for _ in 0..10 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    let answer = response(address, &get("/", "connection: close\r\n")).await;
    assert!(answer.ends_with("hello"), "{answer}");
}

#[tokio::test]
async fn a_shutdown_waits_for_the_requests_of_a_further_listener() {
    let (begun, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (socket, address) = socket().await;
    let service = {
        let (begun, finish) = (begun.clone(), finish.clone());
        service_fn(move |_: Request<RequestBody>| {
            let (begun, finish) = (begun.clone(), finish.clone());
            async move {
                begun.notify_one();
                finish.notified().await;
                Ok::<_, Infallible>(Response::new(ResponseBody::from("done")))
            }
        })
    };
    let host = host(move |_| Listener::new(socket, service)).await;
    let answer = tokio::spawn(async move { response(address, &get("/", "")).await });
    in_time("the request begins", begun.notified()).await;
    let mut ended = host.stop();
    assert!(tokio::time::timeout(SOON, &mut ended).await.is_err());
    finish.notify_one();
    assert_eq!(in_time("the shutdown", ended).await.unwrap(), ShutdownOutcome::Graceful);
    assert!(answer.await.unwrap().ends_with("done"));
}

#[tokio::test]
async fn a_logged_listener_counts_its_requests_in_the_metrics_of_the_server() {
    let (socket, address) = socket().await;
    let metrics = Arc::new(leadapi_server::Metrics::new().unwrap());
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap().metrics(metrics.clone());
    let server = server.listener_with(|host| Listener::new(socket, host.api()).logged(host));
    let _host = Host::run(server, World::new().await.service("/v1", None));
    let answer = response(address, &get("/v1/leads", "connection: close\r\nx-request-id: mine\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("x-request-id: mine"), "{answer}");
    let counted = r#"leadapi_requests_total{operation="list_leads",status="2xx"} 1"#;
    eventually("the request is counted", async || metrics.text().unwrap().contains(counted)).await;
}

/// Mounts everything that leadapi serves in an application that does not use leadapi's server.
#[tokio::test]
async fn settings_reference_and_mcp_are_mounted_in_an_application() {
    let sample = Dataset::parse(leadapi_core::dataset::SAMPLE).unwrap();
    let owner = sample.businesses[0].members[0].email.clone();
    let site = "https://settings.example.com".parse().unwrap();
    let settings = SettingsPages::builder(MemorySettings::new(&sample), SystemClock, site).build();
    let api = World::new().await.service("/v1", None);
    let document = leadapi_core::openapi::document("/v1").unwrap();
    let app = Router::new()
        .route_service("/docs", Reference::new(document.clone()))
        .nest_service("/help/docs", Reference::new(document))
        .route_service("/mcp", McpService::new(Authenticator::new(api.clone()), api.clone()))
        .nest_service("/v1", api)
        .fallback_service(settings);

    let body = axum::body::Body::empty;
    let page = |path: &str| Request::get(path).header("host", "settings.example.com");
    for path in ["/docs", "/help/docs", "/help/docs/page.css", "/style.css"] {
        assert_eq!(app.clone().oneshot(page(path).body(body()).unwrap()).await.unwrap().status(), 200, "{path}");
    }
    assert_eq!(app.clone().oneshot(page("/").body(body()).unwrap()).await.unwrap().status(), 403);
    let signed_in = page("/").extension(VerifiedPerson(owner)).body(body()).unwrap();
    assert_eq!(app.clone().oneshot(signed_in).await.unwrap().status(), 200);

    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_clients","arguments":{}}}"#;
    let call = Request::post("/mcp")
        .header("host", "api.example.com")
        .header("authorization", format!("Bearer {}", Token::Both.secret().unwrap()))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    let answer = app.oneshot(call.body(axum::body::Body::from(list)).unwrap()).await.unwrap();
    let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("structuredContent") && text.contains("\"total\""), "{text}");
}
