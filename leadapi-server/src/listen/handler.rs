//! The handler that a listener calls for each request.

use std::{net::IpAddr, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use leadapi_core::BoxError;
use tokio::time::Instant;

use super::{ambiguity::Ambiguity, request_body::RequestBody};

/// An infallible request handler.
pub(crate) trait Handler: Clone + Send + Sync + 'static {
    type ResponseBody: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// Returns the handler for a connection from this peer.
    fn for_peer(&self, _peer: IpAddr) -> Self {
        self.clone()
    }

    /// Returns the response to a request whose head arrived completely at `received`. If `runnable` is an error, the
    /// handler must reject the request without running it.
    fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> impl Future<Output = Response<Self::ResponseBody>> + Send + 'static;
}

/// The reason why a handler must not run a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRunnable {
    #[error(transparent)]
    UnreadResponses(#[from] UnreadResponses),
    #[error(transparent)]
    Ambiguous(#[from] Ambiguity),
}

/// The error for a request that could not start in time, because the unread responses of its connection or of all
/// connections exceeded their limit.
#[derive(Debug, thiserror::Error)]
#[error("the client did not read its earlier responses within {0:?}")]
pub(crate) struct UnreadResponses(pub(super) Duration);
