//! What the operator asks a running server, on a listener of its own: whether it lives, whether it is ready, what it has
//! counted, and how it is asked. It is never on the public one (contract D7).

mod ready;

use std::sync::Arc;

use bytes::Bytes;
use http::{
    HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    request::Parts,
};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use leadapi_core::{BoxError, port::Store};
use tokio::{net::TcpListener, time::Instant};
use tracing::error;

use self::ready::Readiness;
pub(crate) use self::ready::WriteProbe;
use crate::{
    HttpLimits, docs,
    listen::{Answer, Life, Listener, Timely},
    metrics::{Connections, Metrics},
};

/// Few ask, and none of them keeps others from asking.
const MAX_CONNECTIONS: usize = 64;

pub(crate) struct Ops {
    store: Arc<dyn Store>,
    write_probe: WriteProbe,
    metrics: Arc<Metrics>,
    /// The description of the API.
    openapi: Bytes,
    /// Apart from those of the public listener.
    connections: Connections,
}

impl Ops {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        write_probe: WriteProbe,
        metrics: Arc<Metrics>,
        openapi: String,
    ) -> Result<Self, prometheus::Error> {
        Ok(Self { store, write_probe, metrics, openapi: openapi.into(), connections: Connections::uncounted()? })
    }

    /// Answers on a socket until the process ends: what watches a server watches its end too. What it does not know
    /// itself is asked of the API, so that a request can be tried from the page that describes it.
    pub(crate) fn start(self, socket: TcpListener, api: impl Answer, life: Life) {
        let limits = HttpLimits { connections: MAX_CONNECTIONS, ..HttpLimits::default() };
        let listener = Listener::new(socket, None, Arc::new(limits), self.connections);
        let ready = Readiness::new(self.store, self.write_probe, life);
        let pages = Arc::new(Pages { ready, metrics: self.metrics, openapi: self.openapi });
        tokio::spawn(async move {
            let (_stage, life) = Life::new();
            listener.accept(PagesOr { pages, api }, life).await;
        });
    }
}

/// The operator's pages, and the API behind them.
#[derive(Clone)]
struct PagesOr<A> {
    pages: Arc<Pages>,
    api: A,
}

impl<A: Answer> Answer for PagesOr<A> {
    type Body = UnsyncBoxBody<Bytes, BoxError>;

    async fn answer(self, head: Parts, body: Timely, since: Instant) -> Response<Self::Body> {
        match self.pages.answer(&head.method, head.uri.path()).await {
            Some(page) => page.map(|body| body.map_err(|never| match never {}).boxed_unsync()),
            None => self.api.answer(head, body, since).await.map(|body| body.map_err(Into::into).boxed_unsync()),
        }
    }

    async fn refuse(self, head: Parts, since: Instant) -> Response<Self::Body> {
        self.api.refuse(head, since).await.map(|body| body.map_err(Into::into).boxed_unsync())
    }
}

struct Pages {
    ready: Readiness,
    metrics: Arc<Metrics>,
    openapi: Bytes,
}

impl Pages {
    /// The page of that path, if there is one.
    async fn answer(&self, method: &Method, path: &str) -> Option<Response<Full<Bytes>>> {
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
            _ => docs::answer(path, &self.openapi)?,
        };
        Some(if matches!(*method, Method::GET | Method::HEAD) { page } else { only_get() })
    }
}

fn only_get() -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n".to_owned());
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

fn text(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    // The version is the one of the text format of Prometheus.
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
