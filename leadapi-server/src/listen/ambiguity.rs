//! Ambiguities that enable request smuggling, checked on every listener.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Version,
    header::{HOST, TRANSFER_ENCODING},
};

/// The reason why a proxy in front of the server might interpret a request differently. The server must not parse the
/// bytes that follow the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Ambiguity(&'static str);

/// Fails if a proxy might interpret an HTTP/1 request differently (RFC 9112, 11.2). The HTTP library rejects most
/// ambiguous requests before this check.
pub(super) fn check_ambiguity<B>(request: &Request<B>) -> Result<(), Ambiguity> {
    if request.version() >= Version::HTTP_2 {
        return Ok(());
    }
    let headers = request.headers();
    if request.method() == Method::CONNECT {
        // After CONNECT, a client may send data that is not HTTP.
        return Err(Ambiguity("method must not be CONNECT"));
    }
    // A body is chunked if its last coding is `chunked`. Other parsers may look at the first coding, or ignore unknown
    // ones.
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if headers.contains_key(TRANSFER_ENCODING) && !single_value(headers, TRANSFER_ENCODING).is_some_and(is_chunked) {
        return Err(Ambiguity("transfer-encoding must be chunked"));
    }
    let has_host =
        single_value(headers, HOST).is_some() || request.version() < Version::HTTP_11 && !headers.contains_key(HOST);
    if has_host { Ok(()) } else { Err(Ambiguity("host must be given once")) }
}

/// Returns the value of a header field, if the field occurs exactly once.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
