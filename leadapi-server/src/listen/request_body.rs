//! The request body, with a timeout and a way to discard the unread part.
//!
//! Before the server sends a response, it discards the part of the body that the service has not read. Over HTTP/1, the
//! next request follows the body on the same connection. Without discarding, the server would have to close the
//! connection, possibly just as the client sends that request. Over HTTP/2, the server would reset the stream after the
//! response (RFC 9113, 8.1), which makes some clients, such as curl 7.88, lose the response.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, header::EXPECT};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use leadapi_core::BoxError;
use tokio::{
    sync::oneshot,
    time::{Sleep, sleep},
};

/// The maximum number of bytes to discard. It is 16 times the body limit (contract D5), so a client whose body is up to
/// 16 times as large as allowed still receives the error response.
const MAX_DISCARDED: u64 = 1 << 20;

/// A request body that must arrive completely within the body timeout. On drop, the unread part is returned to the
/// connection.
pub struct RequestBody {
    /// `None` once the end has been read, and for a request without a body.
    unread: Option<UnreadBody>,
    /// The channel that returns the unread part to the connection.
    connection: Option<oneshot::Sender<UnreadBody>>,
}

type PolledFrame = Option<Result<Frame<Bytes>, BoxError>>;

/// The unread part of a body.
pub(super) struct UnreadBody {
    body: Incoming,
    timeout: Duration,
    /// Created only when the server has to wait for the body, which is rare.
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether the end of the body can still arrive. `false` while the client waits for `100 Continue`, and after an
    /// error.
    can_end: bool,
}

/// The channel on which the connection receives the unread part of a body.
pub(super) struct ReturnedBody(Option<oneshot::Receiver<UnreadBody>>);

#[derive(Debug, thiserror::Error)]
#[error("the body did not arrive within {0:?}")]
struct BodyTimeout(Duration);

impl RequestBody {
    pub(super) const fn empty() -> Self {
        Self { unread: None, connection: None }
    }

    /// Wraps the body of a request. Also returns the channel for its unread part.
    pub(super) fn wrap(request: Request<Incoming>, timeout: Duration) -> (Request<Self>, ReturnedBody) {
        if request.body().is_end_stream() {
            return (request.map(|_| Self::empty()), ReturnedBody(None));
        }
        let (connection, returned) = oneshot::channel();
        let can_end = !request.headers().contains_key(EXPECT);
        let request = request.map(|body| Self {
            unread: Some(UnreadBody { body, timeout, timer: None, can_end }),
            connection: Some(connection),
        });
        (request, ReturnedBody(Some(returned)))
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<PolledFrame> {
        let Some(body) = &mut self.unread else { return Poll::Ready(None) };
        let frame = ready!(body.poll_frame(cx));
        if frame.is_none() {
            self.unread = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.unread.as_ref().is_none_or(|unread| unread.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.unread.as_ref().map_or(SizeHint::with_exact(0), |unread| unread.body.size_hint())
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if let Some((connection, unread)) = self.connection.take().zip(self.unread.take()) {
            // Sending fails if the connection has closed or the response has timed out. In both cases, the body is no
            // longer needed.
            drop(connection.send(unread));
        }
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").field("has_ended", &self.is_end_stream()).finish_non_exhaustive()
    }
}

impl UnreadBody {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<PolledFrame> {
        self.can_end = true;
        let frame = match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => frame.map(|frame| frame.map_err(BoxError::from)),
            Poll::Pending => {
                let timeout = self.timeout;
                ready!(self.timer.get_or_insert_with(|| Box::pin(sleep(timeout))).as_mut().poll(cx));
                Some(Err(BodyTimeout(timeout).into()))
            }
        };
        self.can_end = !matches!(frame, Some(Err(_)));
        Poll::Ready(frame)
    }

    /// Reads to the end of the body. Returns `false` if the client waits for `100 Continue`, if reading fails or times
    /// out, or if the end lies beyond `MAX_DISCARDED`.
    async fn discard(mut self) -> bool {
        if !self.can_end || self.body.size_hint().lower() > MAX_DISCARDED {
            return false;
        }
        let mut left = MAX_DISCARDED;
        while let Some(frame) = poll_fn(|cx| self.poll_frame(cx)).await {
            let bytes = frame.ok().map(|frame| frame.data_ref().map_or(0, Bytes::len) as u64);
            match bytes.and_then(|bytes| left.checked_sub(bytes)) {
                Some(fewer) => left = fewer,
                None => return false,
            }
        }
        true
    }
}

impl ReturnedBody {
    /// Discards the unread part of the body, if the service has returned one. Returns `false` if the end of the body
    /// was not reached, in which case an HTTP/1 connection must close.
    pub(super) async fn discard(self) -> bool {
        match self.0.and_then(|mut returned| returned.try_recv().ok()) {
            Some(unread) => unread.discard().await,
            None => true,
        }
    }
}
