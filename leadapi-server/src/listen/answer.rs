//! What a listener asks.

use bytes::Bytes;
use http::{Response, request::Parts};
use http_body::Body;
use leadapi_core::BoxError;
use tokio::time::Instant;

use super::Timely;

/// Answers requests, each and always.
pub(crate) trait Answer: Clone + Send + Sync + 'static {
    /// The body of an answer.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// The answer to a request that has been there since then. It comes in two, because each hand that it goes through
    /// would take it apart and put it together again.
    fn answer(
        self,
        head: Parts,
        body: Timely,
        since: Instant,
    ) -> impl Future<Output = Response<Self::Body>> + Send + 'static;

    /// The answer to a request that is not run: its peer did not read its earlier answers in time.
    fn refuse(self, head: Parts, since: Instant) -> impl Future<Output = Response<Self::Body>> + Send + 'static;
}
