//! Tests of request bodies that the service does not read completely (contract D5).

use std::sync::atomic::Ordering;

use http::Request;
use leadapi_tests::{TestResponse, Token, World, doubles::EndlessBody};
use tower::ServiceExt;

async fn stream(method: &str, path: &str, token: Token, claimed: Option<u64>) -> (TestResponse, usize) {
    let body = EndlessBody { claimed, ..EndlessBody::default() };
    let read = body.read.clone();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {}", token.secret().unwrap()));
    let Ok(response) = World::new().await.service("", None).oneshot(request.body(body).unwrap()).await;
    let (head, body) = response.into_parts();
    let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
    (http::Response::from_parts(head, body).into(), read.load(Ordering::Relaxed))
}

#[tokio::test]
async fn a_body_is_read_only_as_far_as_the_response_needs() {
    for (sentence, method, path, token, claimed, status, most) in [
        (
            "D5 the rest of a body that is too large is not read",
            "POST",
            "/leads",
            Token::Both,
            None,
            400,
            65_536 + 1024,
        ),
        (
            "D5 the rest of a body that is too large is not read",
            "PATCH",
            "/leads/a-lead-1",
            Token::Both,
            None,
            400,
            65_536 + 1024,
        ),
        (
            "D5 no part of a body with an excessive Content-Length is read",
            "POST",
            "/leads",
            Token::Both,
            Some(65_537),
            400,
            0,
        ),
        (
            "D5 no part of a body with an excessive Content-Length is read",
            "POST",
            "/leads",
            Token::Both,
            Some(u64::MAX),
            400,
            0,
        ),
        ("D5 a body on GET is ignored and bounded", "GET", "/leads", Token::Both, None, 200, 65_536 + 1024),
        (
            "D5 a body on DELETE is ignored and bounded",
            "DELETE",
            "/leads/a-lead-1",
            Token::Both,
            None,
            204,
            65_536 + 1024,
        ),
        ("D1 the scope is checked before the body is read", "POST", "/leads", Token::Read, None, 403, 0),
        ("D1 the token is checked before the body is read", "POST", "/leads", Token::Revoked, None, 401, 0),
        ("D1 the path is checked before the body is read", "POST", "/forms", Token::Both, None, 404, 0),
    ] {
        let (answer, read) = stream(method, path, token, claimed).await;
        assert_eq!(answer.status, status, "{sentence}: {}", answer.text());
        assert!(read <= most, "{sentence}: {read} bytes were read");
        assert!(status != 400 || answer.error().contains("65536"), "{sentence}: {}", answer.text());
    }
}
