//! A client that calls the API within this process.

use std::{future::pending, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use leadapi_client::{
    Client, ConfigError, Pacing, RetryPolicy,
    timer::Timer,
    transport::{Transport, TransportError},
};
use leadapi_core::{
    auth::BearerToken,
    http::{ResponseBody, header::X_REQUEST_ID},
};
use tokio::time::Instant;

use crate::{
    listen::{Handler, RequestBody},
    middleware::Middleware,
};

/// The API behind the same middleware that requests to the public listener pass through.
#[derive(Clone)]
pub(super) struct Api {
    pub(super) handler: Middleware,
    pub(super) base_path: Arc<str>,
}

impl Api {
    pub(super) fn for_peer(&self, peer: IpAddr) -> Self {
        Self { handler: self.handler.for_peer(peer), base_path: self.base_path.clone() }
    }

    /// Returns a client with the caller's token. It neither waits nor retries, so that the caller receives each API
    /// error immediately.
    pub(super) fn client(&self, token: BearerToken, request_id: Option<HeaderValue>) -> Result<Client, ConfigError> {
        Client::builder(format!("http://in-process{}", self.base_path), token)
            .transport(InProcess { api: self.clone(), request_id })
            .retry(RetryPolicy::none())
            .pacing(Pacing::off())
            .timer(NoTimer)
            .build()
    }

    /// Handles a request and ignores its body, because the tools only read.
    pub(super) async fn handle<B>(
        &self,
        request: Request<B>,
        request_id: Option<HeaderValue>,
    ) -> Response<ResponseBody> {
        let mut request = request.map(|_| RequestBody::empty());
        request.headers_mut().extend(request_id.map(|id| (X_REQUEST_ID, id)));
        self.handler.clone().handle(request, Instant::now(), Ok(())).await
    }
}

struct InProcess {
    api: Api,
    /// The id of the MCP request, which appears in the log lines of all its API calls.
    request_id: Option<HeaderValue>,
}

#[async_trait]
impl Transport for InProcess {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        Ok(self.api.handle(request, self.request_id.clone()).await.map(ResponseBody::into_bytes))
    }
}

/// A timer that never fires, because the middleware has a timeout of its own.
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
