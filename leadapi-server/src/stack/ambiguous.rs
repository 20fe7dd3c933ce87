//! Requests of HTTP/1 that another reader, a proxy in front say, may take for others than they are taken for here
//! (RFC 9112, 11.2). The HTTP library refuses most of them before they come here.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Version,
    header::{CONNECTION, HOST, TRANSFER_ENCODING},
    request::Parts,
};

use super::{Answered, refusal::bad_request};

/// The refusal of an ambiguous request. What follows it on its connection is not looked at.
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
        // What a client sends behind it is no HTTP to the client.
        return Some("method must not be CONNECT");
    }
    // There is a body of chunks if the last coding says so; others may look at the first, or at none that they do not know.
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if headers.contains_key(TRANSFER_ENCODING) && !only(headers, TRANSFER_ENCODING).is_some_and(is_chunked) {
        return Some("transfer-encoding must be chunked");
    }
    let has_host = only(headers, HOST).is_some() || head.version < Version::HTTP_11 && !headers.contains_key(HOST);
    (!has_host).then_some("host must be given once")
}

/// The value of a field that stands there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
