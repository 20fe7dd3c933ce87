//! The API reference as a web page. Its HTML, CSS and JavaScript are compiled into the binary, so it needs no other
//! host.
//!
//! The page loads the OpenAPI description from its own origin and sends trial requests there. A listener that serves
//! the page must therefore also serve the API.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use http_body_util::Full;

use crate::web;

/// The content security policy: the page may load from and connect to only its own origin, and no other page may embed
/// it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every response. Caching is off because the files are small and change with the binary.
const HEADERS: [(HeaderName, &str); 6] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
];

/// Returns the response to a GET of `/docs`, one of its assets or `/docs/openapi.json`. Returns `None` for any other
/// path.
pub(crate) fn respond(path: &str, openapi: &Bytes) -> Option<Response<Full<Bytes>>> {
    let (kind, body) = match path {
        "/docs" => ("text/html; charset=utf-8", Bytes::from_static(include_bytes!("page.html"))),
        "/docs/page.css" => ("text/css; charset=utf-8", Bytes::from_static(include_bytes!("page.css"))),
        "/docs/page.js" => ("text/javascript; charset=utf-8", Bytes::from_static(include_bytes!("page.js"))),
        "/docs/theme.js" => ("text/javascript; charset=utf-8", Bytes::from_static(include_bytes!("theme.js"))),
        "/docs/style.css" => ("text/css; charset=utf-8", Bytes::from_static(web::STYLE)),
        "/docs/icon.svg" => ("image/svg+xml", Bytes::from_static(web::ICON)),
        "/docs/openapi.json" => ("application/json", openapi.clone()),
        _ => return None,
    };
    let mut response = Response::new(Full::new(body));
    let headers = HEADERS.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Some(response)
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// Every file that the page refers to is in the binary, and none refers to another host.
    #[tokio::test]
    async fn the_page_is_self_contained() {
        let openapi = Bytes::from_static(b"{}");
        let mut size = 0;
        for (part, kind) in [
            ("", "text/html; charset=utf-8"),
            ("/style.css", "text/css; charset=utf-8"),
            ("/page.css", "text/css; charset=utf-8"),
            ("/page.js", "text/javascript; charset=utf-8"),
            ("/theme.js", "text/javascript; charset=utf-8"),
            ("/icon.svg", "image/svg+xml"),
            ("/openapi.json", "application/json"),
        ] {
            let response = respond(&format!("/docs{part}"), &openapi).unwrap();
            assert_eq!(response.headers()[CONTENT_TYPE], kind);
            for (name, value) in HEADERS {
                assert_eq!(response.headers()[name], value, "{part}");
            }
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let text = str::from_utf8(&body).unwrap().replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http:") && !text.contains("https:"), "{part} names another host");
            for named in text.split('"').filter(|text| text.starts_with("docs/")) {
                assert!(respond(&format!("/{named}"), &openapi).is_some(), "{part} names {named}");
            }
            size += body.len();
        }
        assert!(size < 40_000, "{size} bytes");
        for path in ["/docs/", "/docs/mod.rs", "/docs/../docs/page.js", "/Docs", "/", "/v1/leads"] {
            assert!(respond(path, &openapi).is_none(), "{path}");
        }
    }
}
