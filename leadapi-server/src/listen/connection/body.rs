//! The body of a request. It must arrive in time, and the server discards the part that nobody has read before it
//! sends the response.
//!
//! In HTTP/1 the next request follows the body, so the server would have to close the connection instead. A client
//! that does not know this sends its next request into the closing connection. In HTTP/2 the server would reset the
//! stream after the response (RFC 9113, 8.1), and some clients, curl 7.88 among them, then lose the response.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{header::EXPECT, request::Parts};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use leadapi_core::BoxError;
use tokio::time::{Sleep, sleep};

use super::{Shared, request::Running};

/// The most bytes that are discarded. Sixteen times the limit of a body (contract D5), so that a client that sends
/// too many also receives the response that says so.
const MOST: u64 = 1 << 20;

/// The body of a request, which must arrive in time.
///
/// If it is dropped before its end has been read, it leaves the rest to its connection, under the number of its
/// request.
pub(crate) struct Timely(Option<(Rest, Shared, u64)>);

/// The part of a body that has not been read.
pub(super) struct Rest {
    body: Incoming,
    time: Duration,
    /// Created when the body is not there yet, which is rare.
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether the end can arrive. It cannot while the client waits for `100 Continue`, or after an error.
    may_come: bool,
}

/// The body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the body did not come in time")]
struct Late;

impl Timely {
    pub(super) fn of(body: Incoming, head: &Parts, time: Duration, request: &Running) -> Self {
        if body.is_end_stream() {
            return Self(None);
        }
        let may_come = !head.headers.contains_key(EXPECT);
        Self(Some((Rest { body, time, timer: None, may_come }, request.shared.clone(), request.number)))
    }
}

impl Drop for Timely {
    fn drop(&mut self) {
        if let Some((rest, connection, request)) = self.0.take() {
            connection.leave(request, rest);
        }
    }
}

impl Rest {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.may_come = true;
        let frame = match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => frame.map(|frame| frame.map_err(BoxError::from)),
            Poll::Pending => {
                let time = self.time;
                let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(time)));
                ready!(pin!(timer).poll(cx));
                Some(Err(Late.into()))
            }
        };
        self.may_come = !matches!(frame, Some(Err(_)));
        Poll::Ready(frame)
    }

    /// Reads to the end of the body. Returns `false` if the end is out of reach; in HTTP/1 the connection must then
    /// close.
    pub(super) async fn pass_over(mut self) -> bool {
        if !self.may_come || self.body.size_hint().lower() > MOST {
            return false;
        }
        let mut left = MOST;
        loop {
            let Some(frame) = poll_fn(|cx| self.poll_frame(cx)).await else { return true };
            let bytes = frame.ok().map(|frame| frame.data_ref().map_or(0, Bytes::len) as u64);
            match bytes.and_then(|bytes| left.checked_sub(bytes)) {
                Some(fewer) => left = fewer,
                None => return false,
            }
        }
    }
}

impl Body for Timely {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some((rest, ..)) = &mut self.0 else { return Poll::Ready(None) };
        let frame = ready!(rest.poll_frame(cx));
        if frame.is_none() {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(|(rest, ..)| rest.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or(SizeHint::with_exact(0), |(rest, ..)| rest.body.size_hint())
    }
}
