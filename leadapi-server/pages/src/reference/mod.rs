//! The API reference as a web page: guides with samples, and the operations. Its HTML, CSS and JavaScript are compiled
//! into the binary, so it loads nothing from other hosts.
//!
//! The page loads the OpenAPI description from its own origin. If a listener serves the page, the page also sends trial
//! requests to that origin, and they work only if the listener also serves the API. If a static host serves the page,
//! the page sends trial requests to the first server in the description.

mod page;

use std::{
    convert::Infallible,
    fmt,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        X_FRAME_OPTIONS,
    },
};
use leadapi_core::{http::ResponseBody, openapi::ServerUrl};
use tower_service::Service;

/// The content security policy. The page may load resources only from its own origin and connect only to it, and no
/// other page may embed it.
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

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

const TEXT: &str = "text/plain; charset=utf-8";

/// The API reference as a [`tower_service::Service`]: `/docs`, the files below it, and `/docs/openapi.json`.
///
/// A host serves it at a path that ends in `/docs`, without a trailing slash, because the page refers to its files
/// relative to that path. The host may strip the path.
///
/// ```
/// use http::Request;
/// use leadapi_core::openapi;
/// use leadapi_pages::Reference;
/// use tower::ServiceExt;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let reference = Reference::new(openapi::document("/v1")?);
/// let response = reference.oneshot(Request::get("/docs/openapi.json").body(())?).await?;
/// assert_eq!(response.headers()["content-type"], "application/json");
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Reference {
    openapi: Arc<ResponseBody>,
}

impl Reference {
    /// Creates the reference for an OpenAPI document. The page shows the document's first server URL. It sends trial
    /// requests to the last one, which should be a path on the origin of the page.
    pub fn new(openapi: impl Into<String>) -> Self {
        Self { openapi: Arc::new(openapi.into().into()) }
    }

    /// Returns the files of the page for a static host, each with its path relative to the directory. The host can
    /// serve them at any path. The page sends trial requests to the first of `servers`.
    ///
    /// The page contains the content security policy, because a static host does not send it. The policy also permits
    /// requests to the given servers.
    pub fn static_files(openapi: String, servers: &[ServerUrl]) -> Vec<(String, Vec<u8>)> {
        let mut connect = "connect-src 'self'".to_owned();
        for server in servers {
            let url = server.to_string();
            // A server URL without an origin refers to the page's own origin.
            if let Some(origin) = url.strip_suffix(server.as_path()).filter(|origin| !origin.is_empty()) {
                connect = connect + " " + origin;
            }
        }
        // Browsers ignore `frame-ancestors` in HTML.
        let policy = POLICY.replace("connect-src 'self'", &connect).replace("; frame-ancestors 'none'", "");
        let assets = page::ASSETS.into_iter().map(|(name, _, body)| (format!("docs/{name}"), body.to_owned()));
        let html = ("index.html".to_owned(), page::html(&page::policy(&policy)).into_bytes());
        let openapi = ("docs/openapi.json".to_owned(), openapi.into_bytes());
        [html, openapi].into_iter().chain(assets).collect()
    }

    /// Returns the response to a GET of a path, or `None` for an unknown path.
    fn file(&self, path: &str) -> Option<Response<ResponseBody>> {
        let asset = |name| page::ASSETS.into_iter().find(|(asset, ..)| *asset == name);
        Some(match path.strip_prefix("/docs").unwrap_or(path) {
            "" => respond(StatusCode::OK, HTML, page::HTML.as_bytes()),
            // A host that strips the path leaves a slash.
            "/" if path == "/" => respond(StatusCode::OK, HTML, page::HTML.as_bytes()),
            "/openapi.json" => respond(StatusCode::OK, JSON, (*self.openapi).clone().into_bytes()),
            name => asset(name.strip_prefix('/')?).map(|(_, kind, body)| respond(StatusCode::OK, kind, body))?,
        })
    }
}

impl<B> Service<Request<B>> for Reference {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        ready(Ok(match self.file(request.uri().path()) {
            None => respond(StatusCode::NOT_FOUND, TEXT, "no such page\n"),
            Some(file) if matches!(*request.method(), Method::GET | Method::HEAD) => file,
            Some(_) => {
                let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                response
            }
        }))
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference").finish_non_exhaustive()
    }
}

fn respond(status: StatusCode, kind: &'static str, body: impl Into<ResponseBody>) -> Response<ResponseBody> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = HEADERS.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file that the page refers to is in the binary, and none of these files refers to another host.
    #[test]
    fn the_page_is_self_contained() {
        let reference = Reference::new("{}");
        let mut size = 0;
        for (part, kind) in [
            ("", "text/html; charset=utf-8"),
            ("/style.css", "text/css; charset=utf-8"),
            ("/page.css", "text/css; charset=utf-8"),
            ("/page.js", "text/javascript; charset=utf-8"),
            ("/samples.js", "text/javascript; charset=utf-8"),
            ("/search.js", "text/javascript; charset=utf-8"),
            ("/theme.js", "text/javascript; charset=utf-8"),
            ("/icon.svg", "image/svg+xml"),
            ("/openapi.json", "application/json"),
        ] {
            let response = reference.file(&format!("/docs{part}")).unwrap();
            assert_eq!(response.headers()[CONTENT_TYPE], kind);
            for (name, value) in HEADERS {
                assert_eq!(response.headers()[name], value, "{part}");
            }
            let body = response.into_body().into_bytes();
            let text = str::from_utf8(&body).unwrap().replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http:") && !text.contains("https:"), "{part} names another host");
            for named in text.split('"').filter(|text| text.starts_with("docs/")) {
                assert!(reference.file(&format!("/{named}")).is_some(), "{part} names {named}");
            }
            size += body.len();
        }
        // The guides and samples make up about a third of the page. It loads with one round trip per file from the
        // operator's own server, so it must stay small enough to need no caching.
        assert!(size < 65_000, "{size} bytes");
        for path in ["/docs/", "/docs/mod.rs", "/docs/../docs/page.js", "/Docs", "/v1/leads"] {
            assert!(reference.file(path).is_none(), "{path}");
        }
    }

    #[test]
    fn the_static_files_refer_to_each_other_by_relative_paths() {
        let servers = ["https://api.example.com/crm/v1".parse().unwrap(), "http://[::1]:8080".parse().unwrap()];
        let files = Reference::static_files("{}".to_owned(), &servers);
        let (name, page) = files.first().unwrap();
        let page = str::from_utf8(page).unwrap();
        assert_eq!(name, "index.html");
        assert!(page.contains("connect-src 'self' https://api.example.com http://[::1]:8080;"), "{page}");
        assert!(
            page.contains(r#"http-equiv="Content-Security-Policy""#) && !page.contains("frame-ancestors"),
            "{page}"
        );
        let linked = page
            .split([' ', '>'])
            .filter_map(|word| word.strip_prefix("href=\"").or(word.strip_prefix("src=\""))?.strip_suffix('"'));
        let linked: Vec<_> = linked.filter(|link| !link.starts_with('#')).collect();
        assert!(linked.len() > 5, "{linked:?}");
        for link in linked.into_iter().chain(["docs/openapi.json"]) {
            assert!(files.iter().any(|(name, _)| name == link), "{link}");
        }
    }
}
