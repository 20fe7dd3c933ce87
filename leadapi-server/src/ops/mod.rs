//! The operator endpoints: liveness, readiness, metrics and the API reference. The server serves them on a separate
//! listener, never on the public one (contract D7).

mod ready;

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
};
use http_body::Body;
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use leadapi_access::names_this_machine;
use leadapi_core::BoxError;
use tokio::{net::TcpListener, time::Instant};
use tracing::error;

use self::ready::Readiness;
pub(crate) use self::ready::{Probe, Probes};
use crate::{
    docs,
    limits::HttpLimits,
    listen::{Handler, Listener, NotRunnable, Replaceable, RequestBody},
    metrics::{ConnectionMetrics, Metrics},
    shutdown::{Shutdown, ShutdownPhase},
};

/// The connection limit, which can be small because only the operator connects.
const MAX_CONNECTIONS: usize = 64;

pub(crate) struct Ops {
    probes: Probes,
    metrics: Arc<Metrics>,
    /// The OpenAPI document.
    openapi: Bytes,
    /// Whether the operator listener serves the API even if other machines can reach the listener's address.
    api: bool,
    /// Metrics that are not exported, so that connections to the operator listener do not count in the public
    /// listener's metrics.
    connections: ConnectionMetrics,
}

impl Ops {
    pub(crate) fn new(
        probes: Probes,
        metrics: Arc<Metrics>,
        openapi: String,
        api: bool,
    ) -> Result<Self, prometheus::Error> {
        Ok(Self { probes, metrics, openapi: openapi.into(), api, connections: ConnectionMetrics::unregistered()? })
    }

    /// Serves the pages until the process exits, so that monitoring can also observe the shutdown. Unknown paths go to
    /// the API until the server stops, so that the reference page can send requests. On an address that other machines
    /// can reach, serving the API exposes it in clear text, and therefore requires the `api` setting.
    pub(crate) fn start(self, socket: TcpListener, api: impl Handler, shutdown: Shutdown, connections: Option<usize>) {
        let connections = connections.map_or(MAX_CONNECTIONS, |connections| connections.min(MAX_CONNECTIONS));
        let limits = HttpLimits::default().of_small_listener(connections);
        let is_loopback = socket.local_addr().is_ok_and(|address| address.ip().is_loopback());
        let listener = Listener::new(socket, None, Arc::new(limits), self.connections, Replaceable::Idle);
        let ready = Readiness::new(self.probes, shutdown.clone());
        let pages = Arc::new(Pages { ready, metrics: self.metrics, openapi: self.openapi });
        let api = (is_loopback || self.api).then_some(api);
        let service = PagesOrApi { pages, api, server: shutdown, is_loopback };
        tokio::spawn(async move {
            let (_phase, shutdown) = Shutdown::new();
            listener.accept(service, shutdown).await;
        });
    }
}

/// A handler that serves the operator endpoints, and passes requests for other paths to the API, if there is one.
#[derive(Clone)]
struct PagesOrApi<A> {
    pages: Arc<Pages>,
    api: Option<A>,
    /// The server's shutdown, not this listener's.
    server: Shutdown,
    is_loopback: bool,
}

type AnyBody = UnsyncBoxBody<Bytes, BoxError>;

impl<A> PagesOrApi<A> {
    /// Returns the page or an error response. Returns `None` for an unknown path, so that the caller can pass the
    /// request to the API.
    async fn page<B>(&self, request: &Request<B>) -> Option<Response<Full<Bytes>>> {
        if self.is_loopback && !names_this_machine(request) {
            return Some(text(StatusCode::FORBIDDEN, "host must be localhost or an IP address\n".to_owned()));
        }
        if let Some(page) = self.pages.respond(request.method(), request.uri().path()).await {
            return Some(page);
        }
        if self.api.is_some() && self.server.has_reached(ShutdownPhase::Stopping) {
            let mut page = text(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n".to_owned());
            page.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return Some(page);
        }
        None
    }
}

impl<A: Handler> Handler for PagesOrApi<A> {
    type ResponseBody = AnyBody;

    fn for_peer(&self, peer: IpAddr) -> Self {
        Self { api: self.api.as_ref().map(|api| api.for_peer(peer)), ..self.clone() }
    }

    async fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<AnyBody> {
        let page = match &runnable {
            Ok(()) => self.page(&request).await,
            Err(NotRunnable::Ambiguous(ambiguity)) => Some(text(StatusCode::BAD_REQUEST, format!("{ambiguity}\n"))),
            Err(NotRunnable::UnreadResponses(_)) => None,
        };
        match (page, self.api) {
            (Some(page), _) => boxed(page),
            (None, Some(api)) => boxed(api.handle(request, received, runnable).await),
            (None, None) if runnable.is_ok() => {
                boxed(text(StatusCode::NOT_FOUND, "no such page; use --ops-api to serve the API here\n".to_owned()))
            }
            (None, None) => {
                boxed(text(StatusCode::SERVICE_UNAVAILABLE, "earlier responses have not been read\n".to_owned()))
            }
        }
    }
}

fn boxed<B>(response: Response<B>) -> Response<AnyBody>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

struct Pages {
    ready: Readiness,
    metrics: Arc<Metrics>,
    openapi: Bytes,
}

impl Pages {
    /// Returns the response for the page at a path, or `None` if there is no such page.
    async fn respond(&self, method: &Method, path: &str) -> Option<Response<Full<Bytes>>> {
        let page = match path {
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
            _ => docs::respond(path, &self.openapi)?,
        };
        Some(if matches!(*method, Method::GET | Method::HEAD) { page } else { method_not_allowed() })
    }
}

fn method_not_allowed() -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n".to_owned());
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

fn text(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    // `version` is the version of the Prometheus text format.
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
