//! One request and its response on a connection.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use super::state::ConnectionState;
use crate::listen::handler::UnreadResponses;

/// One request and its response, from the end of the request head to the end of the response's `Lifetime`. Until then,
/// the connection keeps a deadline for the exchange.
pub(super) struct Exchange {
    connection: ConnectionState,
    pub(super) received: Instant,
    number: u64,
    /// The number of response bytes that the peer has not read.
    unread: usize,
}

impl Exchange {
    pub(super) fn begin(connection: &ConnectionState) -> Self {
        let (number, received) = connection.with(|deadlines, now| (deadlines.began(now), now));
        Self { connection: connection.clone(), received, number, unread: 0 }
    }

    /// Returns whether the connection may have further requests.
    pub(super) fn keeps_connection(&self) -> bool {
        self.connection.shutdown().is_running() && !self.connection.is_retired(self.received)
    }

    /// Waits until the unread responses leave space for another request. Fails when `timeout` has passed since the
    /// request was received.
    pub(super) async fn wait_for_peer(&self, timeout: Duration) -> Result<(), UnreadResponses> {
        let backlog = self.connection.backlog();
        if backlog.has_space() {
            return Ok(());
        }
        timeout_at(self.received + timeout, backlog.space()).await.map_err(|_| UnreadResponses(timeout))
    }

    /// Attaches the exchange to the response body, which keeps it alive. The body is `None` for HEAD.
    pub(super) fn deliver<B: Body>(mut self, body: Option<B>, is_http1: bool) -> ResponseBody<B> {
        let bytes = body.as_ref().and_then(|body| body.size_hint().exact()).unwrap_or_default();
        self.unread = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.connection.backlog().add(self.unread);
        // Over HTTP/1, hyper takes the body immediately, so the exchange needs no new deadline.
        if is_http1 {
            return ResponseBody { body, lasts: Lifetime::UntilTaken(self) };
        }
        self.connection.backlog().settle();
        self.connection.with(|deadlines, now| deadlines.answered(self.number, now));
        ResponseBody { body, lasts: Lifetime::UntilWritten(Arc::new(self)) }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.connection.end(self.number, self.unread);
    }
}

/// An optional response body, which keeps its exchange alive.
pub(super) struct ResponseBody<B> {
    body: Option<B>,
    lasts: Lifetime,
}

/// How long a response keeps its exchange alive.
enum Lifetime {
    /// Until hyper has taken the body. Over HTTP/1, hyper writes it immediately, or the write stalls and has its own
    /// deadline.
    UntilTaken(#[expect(dead_code, reason = "held only until it is dropped")] Exchange),
    /// Until the last byte has been written. Over HTTP/2, hyper may take a body long before the stream's flow-control
    /// window allows hyper to write it.
    UntilWritten(Arc<Exchange>),
}

/// A chunk of a response that keeps its exchange alive until the chunk has been written.
struct TrackedBytes {
    bytes: Bytes,
    _exchange: Arc<Exchange>,
}

impl AsRef<[u8]> for TrackedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        let Lifetime::UntilWritten(exchange) = &self.lasts else { return Poll::Ready(frame) };
        let tracked = |bytes| Bytes::from_owner(TrackedBytes { bytes, _exchange: exchange.clone() });
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(tracked))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}
