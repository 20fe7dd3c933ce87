#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ready;

use std::{convert::Infallible, fmt, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
};
use http_body::Body;
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use leadapi_access::names_this_machine;
use leadapi_core::{BoxError, http::ResponseBody};
use leadapi_server::{Host, Listener, Metrics, RequestBody, Socket};
use tower::{Service, ServiceExt, service_fn, util::BoxCloneSyncService};
use tracing::error;

pub use self::ready::Probes;
use self::ready::Readiness;

type PageBody = UnsyncBoxBody<Bytes, BoxError>;

type Page = BoxCloneSyncService<Request<RequestBody>, Response<PageBody>, Infallible>;

/// The operator endpoints `/healthz`, `/readyz` and `/metrics`, and an index of them at `/`. They use neither tokens nor
/// TLS, and belong on a separate listener, never on the public one (contract D7).
///
/// On a loopback address, the listener also serves the API at all other paths, until the server stops. On an address
/// that other machines can reach, this would expose the API in clear text, so it needs [`api`](Self::api). A loopback
/// address refuses requests for other hosts, which an attacker's web page could send (DNS rebinding).
///
/// ```
/// use std::sync::Arc;
/// use leadapi_operator::{Operator, Probes};
/// use leadapi_server::{Metrics, Server, Socket};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let metrics = Arc::new(Metrics::new()?);
/// let operator = Operator::new(Probes::default(), metrics.clone());
/// let socket = Socket::bind(&"127.0.0.1:0".parse()?).await?;
/// let server = Server::bind("127.0.0.1:0".parse()?).await?.metrics(metrics);
/// let server = server.listener_with(|host| operator.listener(socket, host));
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[must_use = "`listener` creates the listener"]
pub struct Operator {
    probes: Probes,
    metrics: Arc<Metrics>,
    pages: Vec<(&'static str, Page)>,
    /// Whether to serve the API even if other machines can reach the listener's address.
    api: bool,
    not_found: &'static str,
}

impl Operator {
    /// Creates the endpoints of a server with these metrics, which is ready if the probes succeed.
    pub fn new(probes: Probes, metrics: Arc<Metrics>) -> Self {
        Self { probes, metrics, pages: Vec::new(), api: false, not_found: "no such page" }
    }

    /// Adds a service at a path without a trailing slash, and at all paths below. The service receives the whole path.
    pub fn page<S, B>(mut self, path: &'static str, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        self.pages.push((path, page(service)));
        self
    }

    /// Sets whether to serve the API at an address that other machines can reach. Defaults to `false`.
    pub fn api(self, api: bool) -> Self {
        Self { api, ..self }
    }

    /// Sets the text of the 404 at an address that does not serve the API. Defaults to `no such page`.
    pub fn not_found(self, text: &'static str) -> Self {
        Self { not_found: text, ..self }
    }

    /// Returns the listener of a server. It serves until the process exits, so that monitoring can also observe the
    /// shutdown.
    pub fn listener(self, socket: Socket, host: &Host) -> Listener {
        let Self { probes, metrics, pages, api, not_found } = self;
        let is_loopback = socket.is_loopback();
        let endpoints = Arc::new(Endpoints {
            ready: Readiness::new(probes, host.clone()),
            metrics,
            pages,
            api: (is_loopback || api).then(|| page(host.api())),
            not_found,
            host: host.clone(),
            is_loopback,
        });
        let service = service_fn(move |request| {
            let endpoints = endpoints.clone();
            async move { Ok::<_, Infallible>(endpoints.respond(request).await) }
        });
        Listener::new(socket, service).until_exit()
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").field("api", &self.api).finish_non_exhaustive()
    }
}

struct Endpoints {
    ready: Readiness,
    metrics: Arc<Metrics>,
    pages: Vec<(&'static str, Page)>,
    api: Option<Page>,
    not_found: &'static str,
    host: Host,
    is_loopback: bool,
}

impl Endpoints {
    async fn respond(&self, request: Request<RequestBody>) -> Response<PageBody> {
        if self.is_loopback && !names_this_machine(&request) {
            return text(StatusCode::FORBIDDEN, "host must be localhost or an IP address\n".to_owned());
        }
        let path = request.uri().path();
        if let Some(response) = self.endpoint(path).await {
            let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
            return if is_read { response } else { method_not_allowed() };
        }
        if let Some(page) = self.page(path) {
            return serve(page, request).await;
        }
        match &self.api {
            Some(_) if self.host.is_stopping() => {
                let mut response = text(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n".to_owned());
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                response
            }
            Some(api) => serve(api, request).await,
            None => text(StatusCode::NOT_FOUND, format!("{}\n", self.not_found)),
        }
    }

    /// Returns the response of the endpoint at a path, or `None` if there is none.
    async fn endpoint(&self, path: &str) -> Option<Response<PageBody>> {
        Some(match path {
            "/" => self.index(),
            "/healthz" => text(StatusCode::OK, "alive\n".to_owned()),
            "/readyz" => match self.ready.check().await {
                Ok(()) => text(StatusCode::OK, "ready\n".to_owned()),
                Err(reason) => text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
            },
            "/metrics" => match self.metrics.text() {
                Ok(metrics) => text(StatusCode::OK, metrics),
                Err(error) => {
                    error!(%error, "the metrics could not be written");
                    text(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n".to_owned())
                }
            },
            _ => return None,
        })
    }

    /// Lists what the listener serves, for a person who opens its address in a browser.
    fn index(&self) -> Response<PageBody> {
        let endpoints = [
            ("/healthz", ": whether the process is alive"),
            ("/readyz", ": whether it can serve requests"),
            ("/metrics", ": metrics in the Prometheus text format"),
        ];
        let links = endpoints.into_iter().chain(self.pages.iter().map(|(path, _)| (*path, "")));
        let items = links
            .fold(String::new(), |items, (path, what)| format!("{items}<li><a href=\"{path}\">{path}</a>{what}\n"));
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>leadapi operator endpoints</title>\n\
             <h1>leadapi operator endpoints</h1>\n<ul>\n{items}</ul>\n"
        );
        let mut response = text(StatusCode::OK, html);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
        response
    }

    /// Returns the service at a path.
    fn page(&self, path: &str) -> Option<&Page> {
        let is_at = |mount: &str| path.strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.pages.iter().find(|(mount, _)| is_at(mount)).map(|(_, service)| service)
    }
}

fn page<S, B>(service: S) -> Page
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>,
    S: Clone + Send + Sync + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    BoxCloneSyncService::new(service.map_response(page_body))
}

async fn serve(page: &Page, request: Request<RequestBody>) -> Response<PageBody> {
    page.clone().oneshot(request).await.unwrap_or_else(|never| match never {})
}

fn page_body<B>(response: Response<B>) -> Response<PageBody>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

fn method_not_allowed() -> Response<PageBody> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n".to_owned());
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

fn text(status: StatusCode, text: String) -> Response<PageBody> {
    let mut response = Response::new(ResponseBody::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    // `version` is the version of the Prometheus text format.
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    page_body(response)
}
