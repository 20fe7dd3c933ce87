//! The size limit of 65,536 bytes, the nesting limit, and bodies that the service does not read to their end.

use std::sync::atomic::Ordering;

use http::Request;
use leadapi_tests::{Case, TestResponse, Token, World, doubles::EndlessBody, post, request};
use serde_json::json;
use tower::ServiceExt;

use super::{MINIMAL, both};

pub(super) fn cases() -> Vec<Case> {
    let padded = |body: &str, size: usize| format!("{body}{}", " ".repeat(size - body.len()));
    let nested = |open: &str, close: &str, levels: usize| {
        format!(r#"{{"name":{}1{}}}"#, open.repeat(levels), close.repeat(levels))
    };
    let mut cases = vec![
        request("D5 65,536 bytes are taken", "POST", "/leads").text(padded(MINIMAL, 65_536)).is(201),
        request("D5 65,537 bytes are 400", "POST", "/leads")
            .text(padded(MINIMAL, 65_537))
            .is(400)
            .blames("body")
            .says("65536"),
        request("D5 65,536 bytes are taken on PATCH", "PATCH", "/leads/a-lead-1")
            .text(padded(r#"{"name":"Bo"}"#, 65_536)),
        request("D5 65,537 bytes are 400 on PATCH", "PATCH", "/leads/a-lead-1")
            .text(padded("{}", 65_537))
            .is(400)
            .says("65536"),
        request("D5 a megabyte is 400", "POST", "/leads")
            .text(" ".repeat(1 << 20))
            .is(400)
            .blames("body")
            .says("65536"),
        post(
            "D4 notes of 10,000 characters of 4 bytes fit",
            json!({"client_id": "a-client-1", "name": "Ann", "notes": "😀".repeat(10_000)}),
        ),
    ];
    for (what, body) in [
        ("arrays", nested("[", "]", 10_000)),
        ("objects", nested("{\"a\":", "}", 10_000)),
        ("arrays without an end", "[".repeat(65_536)),
        ("objects without an end", "{\"a\":".repeat(13_000)),
        (
            "in an unknown field",
            format!(r#"{{"client_id":"a-client-1","name":"Ann","x":{}{}}}"#, "[".repeat(5000), "]".repeat(5000)),
        ),
    ] {
        cases.extend(both(&format!("D5 nesting is bounded: {what}"), body));
    }
    cases.extend(both(
        "D5 many keys",
        format!("{{{}}}", (0..5000).map(|at| format!("\"{at}\":1")).collect::<Vec<_>>().join(",")),
    ));
    cases
}

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
        ("D5 too large: without reading the rest", "POST", "/leads", Token::Both, None, 400, 65_536 + 1024),
        ("D5 too large: without reading the rest", "PATCH", "/leads/a-lead-1", Token::Both, None, 400, 65_536 + 1024),
        ("D5 too large by its Content-Length: nothing is read", "POST", "/leads", Token::Both, Some(65_537), 400, 0),
        ("D5 too large by its Content-Length: nothing is read", "POST", "/leads", Token::Both, Some(u64::MAX), 400, 0),
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
        ("D1 scope before the body: nothing is read", "POST", "/leads", Token::Read, None, 403, 0),
        ("D1 token before the body: nothing is read", "POST", "/leads", Token::Revoked, None, 401, 0),
        ("D1 path before the body: nothing is read", "POST", "/forms", Token::Both, None, 404, 0),
    ] {
        let (answer, read) = stream(method, path, token, claimed).await;
        assert_eq!(answer.status, status, "{sentence}: {}", answer.text());
        assert!(read <= most, "{sentence}: {read} bytes were read");
        assert!(status != 400 || answer.error().contains("65536"), "{sentence}: {}", answer.text());
    }
}
