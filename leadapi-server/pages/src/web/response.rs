//! Responses for pages without scripts, and their headers.

use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
        X_FRAME_OPTIONS,
    },
};
use leadapi_core::http::ResponseBody;

/// A response with a page or a file.
pub type Page = Response<ResponseBody>;

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

/// Returns an HTML page.
///
/// ```
/// use http::StatusCode;
/// use leadapi_pages::web::html;
///
/// assert_eq!(html(StatusCode::OK, "<!DOCTYPE html>").headers()["cache-control"], "no-store");
/// ```
pub fn html(status: StatusCode, html: impl Into<String>) -> Page {
    respond(status, "text/html; charset=utf-8", html.into())
}

/// Returns a response with a file of this content type. Browsers do not cache the file, run no scripts in it, and do
/// not show it in a frame.
pub fn respond(status: StatusCode, kind: &'static str, body: impl Into<ResponseBody>) -> Page {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = HEADERS.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns a redirect. The path must not come from a request.
pub fn see_other(path: &str) -> Page {
    let mut response = respond(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    response.headers_mut().extend(HeaderValue::try_from(path).ok().map(|path| (LOCATION, path)));
    response
}
