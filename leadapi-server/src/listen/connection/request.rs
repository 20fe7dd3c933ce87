//! A request that runs on a connection, from the end of its head until its response has gone to the peer.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::{Shared, body::Rest};

/// An entry in the connection's table, removed on drop.
pub(super) struct Running {
    pub(super) shared: Shared,
    pub(super) since: Instant,
    pub(super) number: u64,
    /// The bytes of the response that the peer has not read.
    unread: usize,
}

impl Running {
    pub(super) fn begin(shared: &Shared) -> Self {
        let (number, since) = shared.with(|table, now| (table.began(now), now));
        Self { shared: shared.clone(), since, number, unread: 0 }
    }

    /// Takes the unread rest of the body, if the service has dropped the body.
    pub(super) fn take_rest(&self) -> Option<Rest> {
        self.shared.take_rest(self.number)
    }

    /// Attaches the request to the body of its response, which is `None` for HEAD.
    pub(super) fn deliver<B: Body>(mut self, body: Option<B>, is_http1: bool) -> Delivered<B> {
        let bytes = body.as_ref().and_then(|body| body.size_hint().exact()).unwrap_or_default();
        self.unread = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.shared.backlog().add(self.unread);
        // In HTTP/1 hyper takes the body immediately, so no further wait begins.
        if is_http1 {
            return Delivered { body, until: Until::HandedOn(self) };
        }
        self.shared.backlog().settle();
        self.shared.with(|table, now| table.answered(self.number, now));
        let until = Until::Written(Arc::new(self));
        Delivered { body, until }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.end(self.number, self.unread);
    }
}

/// The body of a response, if it has one, with its request.
pub(super) struct Delivered<B> {
    body: Option<B>,
    until: Until,
}

/// How long the request runs.
enum Until {
    /// Until hyper has taken the body: in HTTP/1 hyper writes it immediately, or the connection stalls.
    HandedOn(#[expect(dead_code, reason = "it is there to be dropped")] Running),
    /// Until the pieces of the body have been written, which in HTTP/2 depends on the peer alone. hyper may have
    /// taken them long before, and they wait for a window.
    Written(Arc<Running>),
}

/// A piece of a response, which keeps its request running until it has been written.
struct Piece {
    bytes: Bytes,
    _running: Arc<Running>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Delivered<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        let Until::Written(running) = &self.until else { return Poll::Ready(frame) };
        let piece = |bytes| Bytes::from_owner(Piece { bytes, _running: running.clone() });
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}
