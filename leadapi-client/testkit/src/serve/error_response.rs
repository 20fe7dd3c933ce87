//! The contract's error responses (sections 7 and D2), byte for byte as the service sends them. A test compares them
//! with the service's responses.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use leadapi_core::{
    auth::Scope,
    http::{ResponseBody, error_response, json_response},
};
use serde::Serialize;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Builds a response with the headers that the service sends with every response.
pub(crate) fn respond(status: StatusCode, body: Bytes) -> Response<Bytes> {
    json_response(status, body).map(ResponseBody::into_bytes)
}

pub(crate) fn error(status: StatusCode, message: &str) -> Response<Bytes> {
    error_response(status, message).map(ResponseBody::into_bytes)
}

pub(crate) fn unauthorized() -> Response<Bytes> {
    let challenge = r#"Bearer realm="leadapi", error="invalid_token", error_description="invalid token""#;
    let response = error(StatusCode::UNAUTHORIZED, "Authorization: invalid token");
    with(response, WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

pub(crate) fn lacks_scope(scope: Scope) -> Response<Bytes> {
    let response = error(StatusCode::FORBIDDEN, &format!("Authorization: the token lacks the scope {scope}"));
    with(
        response,
        WWW_AUTHENTICATE,
        HeaderValue::from_static(match scope {
            Scope::Read => r#"Bearer error="insufficient_scope", scope="read""#,
            Scope::Write => r#"Bearer error="insufficient_scope", scope="write""#,
        }),
    )
}

pub(crate) fn foreign_client() -> Response<Bytes> {
    error(StatusCode::FORBIDDEN, "client_id: no such client account in this business")
}

pub(crate) fn no_such_lead() -> Response<Bytes> {
    error(StatusCode::NOT_FOUND, "id: no such lead")
}

pub(crate) fn no_such_path() -> Response<Bytes> {
    error(StatusCode::NOT_FOUND, "path: there is no such path")
}

/// Builds a 429 response. Its `Retry-After` is rounded up to whole seconds and clamped to the range 1 to 60.
pub(crate) fn rate_limited(after: Duration) -> Response<Bytes> {
    let secs = after.as_nanos().div_ceil(1_000_000_000).clamp(1, 60).try_into().unwrap_or(60_u64);
    let message = format!("rate limit reached, try again in {secs} s");
    with(error(StatusCode::TOO_MANY_REQUESTS, &message), RETRY_AFTER, secs.into())
}

pub(crate) fn server_error() -> Response<Bytes> {
    error(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
}

#[expect(clippy::expect_used, reason = "the wire types always serialize")]
pub(crate) fn json(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("a wire type serializes").into()
}

fn with(mut response: Response<Bytes>, name: HeaderName, value: HeaderValue) -> Response<Bytes> {
    response.headers_mut().insert(name, value);
    response
}
