//! Tests the service inside routers, behind layers, on bare hyper and at any base path (contract 9, D2 and D7).

use std::time::Duration;

use axum::Router;
use http::{HeaderName, HeaderValue, Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_core::http::LeadService;
use leadapi_tests::{Tcp, TestResponse, Token, Transport, World, in_time};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    limit::RequestBodyLimitLayer,
    request_id::{MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer},
    set_header::SetResponseHeaderLayer,
    timeout::TimeoutLayer,
    trace::TraceLayer,
};

async fn send(transport: &impl Transport, method: &str, path: &str, body: &str) -> TestResponse {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {}", Token::Both.secret().unwrap()))
        .body(body.to_owned().into())
        .unwrap();
    transport.send(request).await.into()
}

const NEW: &str = r#"{"client_id":"a-client-1","name":"Ann"}"#;

async fn service(base: &str, public: Option<&str>) -> LeadService {
    World::new().await.service(base, public)
}

#[tokio::test]
async fn a_nested_service_uses_the_public_path_in_location() {
    // The service matches paths relative to its mount (contract D7), but `Location` contains the path that callers see
    // (contract D2).
    let app = Router::new().nest_service("/crm/api", service("", Some("/crm/api")).await);
    let created = send(&app, "POST", "/crm/api/leads", NEW).await;
    assert_eq!(created.header("location").as_deref(), Some("/crm/api/leads/new-1"));
    assert_eq!(send(&app, "GET", "/crm/api/leads/new-1", "").await.body, created.body);
    for path in ["/crm/api", "/crm/api/", "/crm/api/x"] {
        let answer = send(&app, "GET", path, "").await;
        assert_eq!((answer.status, answer.error().is_empty()), (StatusCode::NOT_FOUND, false), "{path}");
    }
    assert!(send(&app, "GET", "/crm/api/leads/", "").await.error().contains("/crm/api/leads"));
}

#[tokio::test]
async fn a_routed_service_matches_its_base_path() {
    // A host that does not strip the prefix passes it to `.base_path(..)` (contract D7).
    let service = service("/v1", None).await;
    let app = Router::new()
        .route_service("/v1/leads", service.clone())
        .route_service("/v1/leads/{id}", service.clone())
        .route_service("/v1/pipelines", service.clone())
        .fallback_service(service);
    let created = send(&app, "POST", "/v1/leads", NEW).await;
    assert_eq!(created.header("location").as_deref(), Some("/v1/leads/new-1"));
    for (path, status) in
        [("/v1/leads/a%2Fb%3Fc%25", 200), ("/v1/pipelines", 200), ("/v1/clients", 200), ("/leads", 404), ("/v1/", 404)]
    {
        assert_eq!(send(&app, "GET", path, "").await.status, status, "{path}");
    }
    assert_eq!(send(&app, "PUT", "/v1/leads", "").await.header("allow").as_deref(), Some("GET, HEAD, POST"));
}

#[tokio::test]
async fn other_routes_work_next_to_the_service() {
    let app = Router::new()
        .route("/health", axum::routing::get(async || "fine"))
        .fallback_service(service("/v1", None).await);
    assert_eq!(send(&app, "GET", "/health", "").await.text(), "fine");
    assert_eq!(send(&app, "GET", "/v1/leads", "").await.status, 200);
    assert_eq!(send(&app, "GET", "/v1/health", "").await.error(), send(&app, "GET", "/nothing", "").await.error());
}

#[tokio::test]
async fn the_service_mounts_at_any_base_and_public_path() {
    for (base, public) in
        [("", ""), ("/v1", "/v1"), ("/a/b/c", "/a/b/c"), ("/v1", "/crm/v1"), ("", "/api/v1"), ("/v1", "")]
    {
        let service = service(base, Some(public)).await;
        let created = send(&service, "POST", &format!("{base}/leads"), NEW).await;
        assert_eq!(created.header("location"), Some(format!("{public}/leads/new-1")), "{base} {public}");
        assert_eq!(send(&service, "GET", &format!("{base}/leads/new-1"), "").await.status, 200);
        assert!(
            send(&service, "GET", &format!("{base}//leads"), "").await.error().contains(&format!("{public}/leads"))
        );
        for other in ["/v2/leads", "/v1x/leads", "/leads/v1/leads"] {
            assert_eq!(send(&service, "GET", other, "").await.status, 404, "{base} {other}");
        }
        if !base.is_empty() {
            assert_eq!(send(&service, "GET", "/leads", "").await.status, 404);
            assert_eq!(send(&service, "GET", &format!("{}/leads", base.to_uppercase()), "").await.status, 404);
            assert_eq!(send(&service, "GET", base, "").await.status, 404);
            assert_eq!(send(&service, "GET", &format!("{base}leads"), "").await.status, 404);
        }
    }
}

#[derive(Clone, Copy)]
struct One;

impl MakeRequestId for One {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        Some(RequestId::new(HeaderValue::from_static("one")))
    }
}

#[tokio::test]
async fn the_service_runs_behind_tower_http_layers() {
    let id = HeaderName::from_static("x-request-id");
    let layers = ServiceBuilder::new()
        .layer(SetRequestIdLayer::new(id.clone(), One))
        .layer(PropagateRequestIdLayer::new(id))
        .layer(TraceLayer::new_for_http())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, Duration::from_secs(30)))
        .layer(SetResponseHeaderLayer::overriding(http::header::SERVER, HeaderValue::from_static("leads")))
        .layer(CatchPanicLayer::new())
        .layer(RequestBodyLimitLayer::new(1 << 20));
    let app = Router::new().nest_service("/v1", layers.service(service("", Some("/v1")).await));
    let created = send(&app, "POST", "/v1/leads", NEW).await;
    assert_eq!((created.status, created.header("x-request-id").as_deref()), (StatusCode::CREATED, Some("one")));
    assert_eq!(created.header("server").as_deref(), Some("leads"));
    let large = send(&app, "POST", "/v1/leads", &" ".repeat(70_000)).await;
    assert!(large.error().contains("65536"), "{}", large.text());
}

#[test]
fn the_service_is_clone_send_and_sync() {
    fn clone_send_sync<T: Clone + Send + Sync + 'static>() {}
    fn send<T: Send>() {}
    clone_send_sync::<LeadService>();
    send::<leadapi_core::http::ResponseFuture>();
}

#[tokio::test]
async fn the_service_responds_over_http_2() {
    let server = Tcp::serve(service("/v1", None).await).await;
    let stream = TokioIo::new(server.connect().await);
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    let connection = tokio::spawn(connection);
    for (method, path, body, status) in [
        ("GET", "/v1/leads", "", 200),
        ("POST", "/v1/leads", NEW, 201),
        ("PUT", "/v1/leads", "", 405),
        ("DELETE", "/v1/leads/new-1", "", 204),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://leads.example{path}"))
            .header("authorization", format!("Bearer {}", Token::Both.secret().unwrap()))
            .body(http_body_util::Full::<bytes::Bytes>::from(body))
            .unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), answer.headers()["cache-control"].to_str().unwrap()),
            (status, "no-store")
        );
    }
    connection.abort();
}

/// Sends requests with incomplete bodies, which no client library sends. The service must respond before the whole body
/// has arrived.
#[tokio::test]
async fn the_service_responds_before_the_body_ends() {
    let server = Tcp::serve(service("/v1", None).await).await;
    let secret = Token::Both.secret().unwrap();
    let head = format!("POST /v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n");
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(65_536));
    for (sentence, rest, status, says) in [
        ("D5 a length beyond the limit", "Content-Length: 1000000000\r\n\r\n".to_owned(), 400, "65536"),
        ("D5 chunks beyond the limit", format!("Transfer-Encoding: chunked\r\n\r\n{chunk}{chunk}"), 400, "65536"),
        (
            "D1 the token is checked before the body",
            "Authorization: Bearer x\r\nContent-Length: 10\r\n\r\n".to_owned(),
            401,
            "malformed",
        ),
        ("D5 a short body is read", "Content-Length: 2\r\n\r\n{}".to_owned(), 400, "client_id"),
    ] {
        let mut stream = server.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        while !answer.ends_with("\"}") {
            let mut buffer = [0; 4096];
            let read = in_time(sentence, stream.read(&mut buffer)).await.unwrap();
            assert!(read > 0, "{sentence}: closed after {answer:?}");
            answer += std::str::from_utf8(&buffer[..read]).unwrap();
        }
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(says), "{sentence}: {answer}");
    }
}
