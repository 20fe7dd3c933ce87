//! Tests of failed calls: network failures, unexpected responses and rejected requests.

use std::{error::Error as _, time::Duration};

use leadapi_client::{Client, Error, Outcome, RetryPolicy, auth::Scopes, id::LeadId, model::NewLead};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

fn client(url: &str) -> Client {
    Client::builder(format!("{url}/v1"), "pak_0123").retry(RetryPolicy::none()).build().unwrap()
}

async fn create(client: &Client) -> Error {
    client.leads().create(&NewLead::new(&crate::support::casa_verde(), "Ann")).await.unwrap_err()
}

async fn answered(template: ResponseTemplate) -> Error {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(template).mount(&server).await;
    create(&client(&server.uri())).await
}

#[tokio::test]
async fn a_proxy_error_page_is_truncated_and_sanitized() {
    let page = format!("<html>\r\n\u{1b}[31m<h1>502</h1>{}</html>", "x".repeat(10_000));
    let error = answered(ResponseTemplate::new(502).set_body_raw(page, "text/html")).await;
    assert!(error.is_server_error());
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert!(error.message().starts_with("<html> \u{fffd}[31m<h1>502</h1>xxx") && error.message().ends_with('…'));
    assert!(error.to_string().chars().count() < 300 && !error.to_string().contains(char::is_control));
}

#[tokio::test]
async fn a_success_outside_the_contract_has_an_unknown_outcome() {
    let page = ResponseTemplate::new(201).set_body_raw("<html>Welcome to the hotel</html>", "text/html");
    let error = answered(page).await;
    assert_eq!(error.message(), "the body is not JSON: <html>Welcome to the hotel</html>");
    assert_eq!(error.source().unwrap().to_string(), "expected value at line 1 column 1");
    assert_eq!(error.outcome(), Outcome::Unknown);
}

#[tokio::test]
async fn fields_and_statuses_of_later_versions_are_tolerated() {
    let lead = json!({"id": "l1", "client_id": "c1", "name": "Ann", "created_at": "2026-05-04T07:58:12.004Z",
        "score": {"of": [1, 2]}, "owner": null});
    let server = MockServer::start().await;
    let template = ResponseTemplate::new(200).set_body_json(lead).insert_header("x-new", "1");
    Mock::given(any()).respond_with(template).mount(&server).await;
    let lead = client(&server.uri()).leads().get(&LeadId::parse("l1").unwrap()).await.unwrap();
    assert_eq!((lead.name.as_str(), lead.email), ("Ann", None));

    let error = answered(ResponseTemplate::new(799).set_body_json(json!({"error": "new", "hint": 1}))).await;
    assert_eq!((error.message().as_str(), error.outcome()), ("new", Outcome::Unknown));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = MockServer::start().await;
    for status in [301, 302, 303, 307, 308] {
        for target in [elsewhere.uri(), "/elsewhere".to_owned()] {
            let server = MockServer::start().await;
            let template = ResponseTemplate::new(status).insert_header("location", target.clone());
            Mock::given(any()).respond_with(template).expect(1).mount(&server).await;
            let error = create(&client(&server.uri())).await;
            assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
            assert_eq!(error.message(), format!("redirects are not followed; the target is {target}"));
        }
    }
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

/// The operating system completes the TCP handshakes, although the test never calls `accept`.
#[tokio::test]
async fn a_silent_server_times_out() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder(url, "pak_0123")
        .attempt_timeout(Duration::from_secs(2))
        .retry(RetryPolicy::none())
        .build()
        .unwrap();
    let error = create(&client).await;
    assert!(error.is_timeout() && !error.is_connect());
    assert_eq!((error.outcome(), error.status()), (Outcome::Unknown, None));
    assert_eq!(error.to_string(), "POST /leads: timed out");
}

#[tokio::test]
async fn a_closed_port_is_a_connect_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = create(&client(&url)).await;
    assert!(error.is_connect() && !error.is_timeout());
    assert_eq!(error.outcome(), Outcome::NotSent);
    assert!(error.to_string().starts_with("POST /leads: could not connect: Connection refused"), "{error}");
    let chain = std::iter::successors(error.source(), |error| (**error).source());
    assert!(chain.map(ToString::to_string).any(|text| text.contains("refused")), "{error:?}");
}

/// Returns the error from a create when the server responds with these bytes and then closes the connection.
async fn answered_with(scheme: &str, bytes: Vec<u8>) -> Error {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert_ne!(socket.read(&mut [0; 4_096]).await.unwrap(), 0);
        // The client may close the connection before it has read all bytes.
        socket.write_all(&bytes).await.unwrap_or_default();
    });
    let error = create(&client(&url)).await;
    server.await.unwrap();
    error
}

#[tokio::test]
async fn an_error_names_what_is_wrong_with_the_response() {
    let too_large = format!("HTTP/1.1 201 Created\r\n\r\n{}", " ".repeat(16 * 1_024 * 1_024 + 1));
    for (bytes, text, cause) in [
        ("", "the connection closed before the response was complete: ", "connection closed"),
        ("HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{\"id\":", "the connection broke: ", "end of file"),
        ("HTTP/1.1 two hundred\r\n\r\n", "the response head is malformed: ", "invalid HTTP status-code parsed"),
        ("HTTP/1.1 201 Created\r\na\r\n\r\n", "the response head is malformed: ", "invalid HTTP header parsed"),
        (&too_large, "the response was not read: ", "larger than 16777216 bytes"),
    ] {
        let error = answered_with("http", bytes.as_bytes().to_vec()).await;
        assert!(!error.is_connect() && !error.is_timeout());
        assert_eq!((error.outcome(), error.status()), (Outcome::Unknown, None), "{error:?}");
        assert!(error.to_string().starts_with(&format!("POST /leads: {text}")), "{error}");
        let chain = std::iter::successors(error.source(), |error| (**error).source());
        assert!(chain.map(ToString::to_string).any(|text| text.contains(cause)), "{error:?}");
    }
}

#[tokio::test]
async fn an_error_names_what_is_wrong_with_the_connection() {
    let nowhere = create(&client("http://no-such-host.invalid")).await;
    let no_tls = answered_with("https", b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()).await;
    for (error, text) in [(nowhere, "could not resolve the host name: "), (no_tls, "the TLS handshake failed: ")] {
        assert!(error.is_connect() && error.outcome() == Outcome::NotSent, "{error:?}");
        assert!(error.to_string().starts_with(&format!("POST /leads: {text}")), "{error}");
    }
}

#[tokio::test]
async fn refusals_of_the_real_service_are_distinguished() {
    let (service, token) = crate::support::service_for(Scopes::Read);
    let reader = Client::builder("http://in-process/v1", token).in_process(service.clone()).build().unwrap();
    let error = create(&reader).await;
    assert!(error.is_forbidden() && error.message().contains("write"), "{error}");

    let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service.clone()).build().unwrap();
    let error = create(&stranger).await;
    assert!(error.is_unauthorized() && error.message().contains("invalid token"), "{error}");

    let wrong_path = Client::builder("http://in-process/v2", "pak_0123").in_process(service).build().unwrap();
    let error = create(&wrong_path).await;
    assert!(error.is_configuration() && error.to_string().contains("http://in-process/v2/leads"), "{error}");
}
