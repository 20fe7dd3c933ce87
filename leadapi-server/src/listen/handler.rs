//! The handler that a listener calls for each request.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use leadapi_core::BoxError;
use tokio::time::Instant;

use super::request_body::RequestBody;

/// A handler that turns every request into a response and cannot fail.
pub(crate) trait Handler: Clone + Send + Sync + 'static {
    type ResponseBody: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// Returns the response to a request whose head was complete at `received`. An error in `backlog` means that the
    /// request must not run.
    fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        backlog: Result<(), UnreadResponses>,
    ) -> impl Future<Output = Response<Self::ResponseBody>> + Send + 'static;
}

/// The client did not read the earlier responses of its connection in time.
#[derive(Debug, thiserror::Error)]
#[error("the client did not read its earlier responses within {0:?}")]
pub(crate) struct UnreadResponses(pub(super) Duration);
