//! The request body that keeps its request in flight.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};

use super::InFlight;

/// A request body that keeps its request in flight until the service drops the body, which it does when it returns the
/// response. While the service waits for the body, the request releases its concurrency permit.
pub(crate) struct PermitBody<B: Body> {
    body: B,
    /// `None` if the request is not admitted, because the service refuses it at once.
    in_flight: Option<InFlight>,
    /// A frame, or the end of the body, that has arrived while the request waits to reacquire its permit.
    arrived: Option<PolledFrame<B>>,
}

type PolledFrame<B> = Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>;

impl<B: Body> PermitBody<B> {
    pub(crate) const fn new(body: B, in_flight: Option<InFlight>) -> Self {
        Self { body, in_flight, arrived: None }
    }
}

impl<B: Body + Unpin> Body for PermitBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<PolledFrame<B>> {
        let Self { body, in_flight, arrived } = self.get_mut();
        if arrived.is_none() {
            let Poll::Ready(frame) = Pin::new(body).poll_frame(cx) else {
                in_flight.iter_mut().for_each(InFlight::release_permit);
                return Poll::Pending;
            };
            *arrived = Some(frame);
        }
        if let Some(in_flight) = in_flight {
            ready!(in_flight.poll_permit(cx));
        }
        Poll::Ready(arrived.take().flatten())
    }

    fn is_end_stream(&self) -> bool {
        self.arrived.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

// The fields are never pinned.
impl<B: Body + Unpin> Unpin for PermitBody<B> {}
