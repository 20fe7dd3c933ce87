//! A client that calls the API within this process.

use std::{convert::Infallible, future::pending, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use leadapi_access::Peer;
use leadapi_client::{
    Client, ConfigError, Pacing, RetryPolicy,
    timer::Timer,
    transport::{Transport, TransportError},
};
use leadapi_core::{
    auth::BearerToken,
    http::{ResponseBody, header::X_REQUEST_ID},
};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

#[derive(Clone)]
pub(crate) struct Api(BoxCloneSyncService<Request<ResponseBody>, Response<ResponseBody>, Infallible>);

/// The properties of an MCP request that its tool passes on to the API.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) peer: Option<Peer>,
    /// The id of the MCP request, which appears in the log lines of all its API calls.
    pub(crate) request_id: Option<HeaderValue>,
}

impl Api {
    pub(crate) fn new<S>(api: S) -> Self
    where
        S: Service<Request<ResponseBody>, Response = Response<ResponseBody>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        Self(BoxCloneSyncService::new(api))
    }

    /// Returns a client with the caller's token. It neither waits nor retries, so that the caller receives each API
    /// error immediately.
    pub(crate) fn client(&self, base_path: &str, token: BearerToken, origin: Origin) -> Result<Client, ConfigError> {
        Client::builder(format!("http://in-process{base_path}"), token)
            .transport(InProcess { api: self.clone(), origin })
            .retry(RetryPolicy::none())
            .pacing(Pacing::off())
            .timer(NoTimer)
            .build()
    }
}

struct InProcess {
    api: Api,
    origin: Origin,
}

#[async_trait]
impl Transport for InProcess {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let mut request = request.map(ResponseBody::from);
        let Origin { peer, request_id } = self.origin.clone();
        request.headers_mut().extend(request_id.map(|id| (X_REQUEST_ID, id)));
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        let response = self.api.0.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        Ok(response.map(ResponseBody::into_bytes))
    }
}

/// A timer that never fires, because the API has a timeout of its own.
struct NoTimer;

#[async_trait]
impl Timer for NoTimer {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _: Duration) {
        pending::<()>().await;
    }
}
