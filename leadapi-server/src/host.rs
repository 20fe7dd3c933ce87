//! What a further listener may use of the server: the API behind the middleware, and its callers.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Buf;
use http::{Request, Response};
use http_body::Body;
use leadapi_access::{Authenticator, Peer};
use leadapi_core::{BoxError, http::ResponseBody};
use tokio::time::Instant;
use tower_service::Service;

use crate::{
    middleware::Middleware,
    shutdown::{Shutdown, ShutdownPhase},
};

/// The running server, as its further listeners see it. [`Server::listener_with`](crate::Server::listener_with) passes
/// it to the function that creates a listener.
#[derive(Clone)]
pub struct Host {
    pub(crate) middleware: Middleware,
    pub(crate) shutdown: Shutdown,
}

impl Host {
    /// Returns the API with the limits, the metrics and the log lines of the server's own listener.
    pub fn api(&self) -> Api {
        Api(self.middleware.clone())
    }

    /// Returns the authenticator of the API, for a service that serves more than the API to its callers. Both share the
    /// limits on lookups of unknown tokens.
    pub fn authenticator(&self) -> Authenticator {
        self.middleware.authenticator()
    }

    /// Returns whether the server is running, and no shutdown has begun. A server that drains still accepts requests,
    /// but is no longer ready for more.
    pub fn is_running(&self) -> bool {
        self.shutdown.is_running()
    }

    /// Returns whether the server has stopped accepting connections.
    pub fn is_stopping(&self) -> bool {
        self.shutdown.has_reached(ShutdownPhase::Stopping)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}

/// The API as a [`Service`], with the limits, the metrics and the log lines of the server's own listener. It counts a
/// request towards the [`Peer`] in the request's extensions.
#[derive(Clone)]
pub struct Api(Middleware);

impl<B> Service<Request<B>> for Api
where
    B: Body<Data: Buf + Send, Error: Into<BoxError> + Send> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let middleware = self.0.with_peer(Peer::address_of(request.extensions()));
        let request = request.map(Box::pin);
        Box::pin(async move { Ok(middleware.respond(request, Instant::now(), Ok(())).await) })
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}
