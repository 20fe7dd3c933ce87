//! Request validation: size limits, and ambiguities that enable request smuggling.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Version,
    header::{HOST, TRANSFER_ENCODING},
};

use super::error_response::Rejection;
use crate::limits::HttpLimits;

pub(super) fn validate<B>(request: &Request<B>, limits: &HttpLimits) -> Result<(), Rejection> {
    if request.version() < Version::HTTP_2
        && let Some(message) = ambiguity(request)
    {
        return Err(Rejection::Ambiguous(message));
    }
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits.target_bytes {
        return Err(Rejection::TooLarge(format!("path and query must be at most {} bytes", limits.target_bytes)));
    }
    if request.headers().len() > limits.headers {
        return Err(Rejection::TooLarge(format!("headers must be at most {}", limits.headers)));
    }
    Ok(())
}

/// Returns why a proxy in front of the server might interpret an HTTP/1 request differently (RFC 9112, 11.2), or `None`
/// for an unambiguous request. The HTTP library rejects most ambiguous requests before this check.
fn ambiguity<B>(request: &Request<B>) -> Option<&'static str> {
    let headers = request.headers();
    if request.method() == Method::CONNECT {
        // After CONNECT, a client may send data that is not HTTP.
        return Some("method must not be CONNECT");
    }
    // A body is chunked if its last coding is `chunked`. Other parsers may look at the first coding, or ignore unknown
    // ones.
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if headers.contains_key(TRANSFER_ENCODING) && !single_value(headers, TRANSFER_ENCODING).is_some_and(is_chunked) {
        return Some("transfer-encoding must be chunked");
    }
    let has_host =
        single_value(headers, HOST).is_some() || request.version() < Version::HTTP_11 && !headers.contains_key(HOST);
    (!has_host).then_some("host must be given once")
}

/// Returns the value of a header field, if the field occurs exactly once.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
