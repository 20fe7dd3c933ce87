//! The handler that a listener calls.

use bytes::Bytes;
use http::{Response, request::Parts};
use http_body::Body;
use leadapi_core::BoxError;
use tokio::time::Instant;

use super::Timely;

/// A handler that turns every request into a response and cannot fail.
pub(crate) trait Handler: Clone + Send + Sync + 'static {
    /// The body of a response.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// Returns the response to a request whose head was complete at `since`. Head and body come separately, because
    /// otherwise each layer would take the request apart and rebuild it.
    fn answer(
        self,
        head: Parts,
        body: Timely,
        since: Instant,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static;

    /// Returns the response to a request that is not run, because its peer did not read earlier responses in time.
    fn refuse(self, head: Parts, since: Instant) -> impl Future<Output = Response<Self::Body>> + Send + 'static;
}
