//! HTTP/1 requests that another parser, such as a proxy in front, may read differently (RFC 9112, 11.2). hyper
//! refuses most of them before this check.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Version,
    header::{CONNECTION, HOST, TRANSFER_ENCODING},
    request::Parts,
};

use super::{Answered, refusal::bad_request};

/// Returns the refusal of an ambiguous request. The connection closes, so the server never parses what follows the
/// request.
pub(super) fn ambiguous(head: &Parts) -> Option<Answered> {
    if head.version >= Version::HTTP_2 {
        return None;
    }
    let message = what_is_ambiguous(head)?;
    let mut refusal = bad_request(message);
    refusal.0.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    Some(refusal)
}

fn what_is_ambiguous(head: &Parts) -> Option<&'static str> {
    let headers = &head.headers;
    if head.method == Method::CONNECT {
        // A client that sends CONNECT does not send HTTP after it.
        return Some("method must not be CONNECT");
    }
    // A body is chunked if the last coding is `chunked`. Others may look at the first coding, or ignore one they do
    // not know.
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if headers.contains_key(TRANSFER_ENCODING) && !only(headers, TRANSFER_ENCODING).is_some_and(is_chunked) {
        return Some("transfer-encoding must be chunked");
    }
    let has_host = only(headers, HOST).is_some() || head.version < Version::HTTP_11 && !headers.contains_key(HOST);
    (!has_host).then_some("host must be given once")
}

/// Returns the value of a field that is present exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
