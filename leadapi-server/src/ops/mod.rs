//! What the operator asks a running server, on a listener of its own: whether it lives, whether it is ready, what it has
//! counted, and how it is asked. It is never on the public one (contract D7).

mod ready;

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body::Body;
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use leadapi_core::{BoxError, port::Store};
use tokio::net::TcpListener;
use tower::{Service, ServiceExt, service_fn};
use tracing::error;

use self::ready::Readiness;
use crate::{
    HttpLimits, docs,
    listen::{Life, Listener, Timely},
    metrics::{Connections, Metrics},
};

/// Few ask, and none of them keeps others from asking.
const MAX_CONNECTIONS: usize = 64;

pub(crate) struct Ops {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// The description of the API.
    openapi: Bytes,
    /// Apart from those of the public listener.
    connections: Connections,
}

impl Ops {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        metrics: Arc<Metrics>,
        openapi: String,
    ) -> Result<Self, prometheus::Error> {
        Ok(Self { store, metrics, openapi: openapi.into(), connections: Connections::uncounted()? })
    }

    /// Answers on a socket until the process ends: what watches a server watches its end too. What it does not know
    /// itself is asked of the API, so that a request can be tried from the page that describes it.
    pub(crate) fn start<S, B>(self, socket: TcpListener, api: S, life: Life)
    where
        S: Service<Request<Timely<Incoming>>, Response = Response<B>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let limits = HttpLimits { connections: MAX_CONNECTIONS, ..HttpLimits::default() };
        let listener = Listener::new(socket, None, Arc::new(limits), self.connections);
        let ready = Readiness::new(self.store, life);
        let pages = Arc::new(Pages { ready, metrics: self.metrics, openapi: self.openapi });
        let service = service_fn(move |request: Request<Timely<Incoming>>| {
            let (pages, api) = (pages.clone(), api.clone());
            async move {
                match pages.answer(request.method(), request.uri().path()).await {
                    Some(page) => Ok(page.map(|body| body.map_err(|never| match never {}).boxed_unsync())),
                    None => Ok(api.oneshot(request).await?.map(|body| body.map_err(Into::into).boxed_unsync())),
                }
            }
        });
        tokio::spawn(async move {
            let (_stage, life) = Life::new();
            listener.accept::<_, UnsyncBoxBody<Bytes, BoxError>>(service, life).await;
        });
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
    response
}
