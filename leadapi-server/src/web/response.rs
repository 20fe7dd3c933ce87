//! Responses for pages without scripts, and their headers.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
        X_FRAME_OPTIONS,
    },
};
use http_body_util::Full;
use maud::Markup;

pub(crate) type Page = Response<Full<Bytes>>;

/// The content security policy: no scripts, no resources from other hosts, and no framing.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// The headers of every response. Pages may contain secrets and personal data, so nothing may be cached.
const HEADERS: [(HeaderName, &str); 9] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // With `no-referrer`, browsers would send `Origin: null` with forms.
    (REFERRER_POLICY, "same-origin"),
    (VARY, "cookie"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

pub(crate) fn html(status: StatusCode, markup: Markup) -> Page {
    respond(status, "text/html; charset=utf-8", markup.into_string().into())
}

pub(crate) fn respond(status: StatusCode, kind: &'static str, body: Bytes) -> Page {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = HEADERS.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns a redirect. The path must not come from a request.
pub(crate) fn see_other(path: &str) -> Page {
    let mut response = respond(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Bytes::new());
    response.headers_mut().extend(HeaderValue::try_from(path).ok().map(|path| (LOCATION, path)));
    response
}
