//! The body of a request: it is to be there in time, and what nobody has read of it is passed over before the answer goes
//! out. In HTTP/1 the next request stands behind it, so the connection would have to be closed otherwise, and a client
//! that is not told so sends its next request into the closing. In HTTP/2 the stream would be reset behind the answer
//! (RFC 9113, 8.1), and there are clients, curl 7.88 among them, to which the answer is lost then.

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

/// The most bytes that are passed over: sixteen times what a body may have (contract D5), so that also who sends too many
/// is told so.
const MOST: u64 = 1 << 20;

/// The body of a request, which is to be there in time.
///
/// Until it has been read to its end, it holds the rest, which it leaves to its connection when it is dropped, under the
/// number of its request.
pub(crate) struct Timely(Option<(Rest, Shared, u64)>);

/// What has not been read of a body.
pub(super) struct Rest {
    body: Incoming,
    time: Duration,
    /// Made when the body is waited for, which most are not.
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether its end may come: not as long as the client waits to be asked for it, nor once it has failed.
    may_come: bool,
}

/// The body did not come in time.
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

    /// Reads it to its end; false where that is not to be reached, and in HTTP/1 the connection has to end.
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
