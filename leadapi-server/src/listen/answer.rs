//! What a listener asks.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use leadapi_core::BoxError;
use tokio::time::Instant;

use super::Timely;

/// Answers requests, each and always.
pub(crate) trait Answer: Clone + Send + Sync + 'static {
    /// The body of an answer.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// The answer to a request that has been there since then.
    fn answer(
        self,
        request: Request<Timely>,
        since: Instant,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static;
}
