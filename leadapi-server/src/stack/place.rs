//! The concurrency permit of a request. A request releases it while it waits for its body, so that peers that send
//! half a body cannot exhaust the limit.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::concurrency_limit::Permit;

pin_project! {
    /// The body of a request, with its permit. The service holds the body until there is a response, and so the
    /// permit.
    pub(crate) struct Placed<B: Body> {
        #[pin]
        body: B,
        permit: Permit,
        // A frame that waits until the permit is acquired again.
        frame: Option<Polled<B>>,
    }
}

type Polled<B> = Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>;

impl<B: Body> Placed<B> {
    pub(super) const fn new(body: B, permit: Permit) -> Self {
        Self { body, permit, frame: None }
    }
}

impl<B: Body> Body for Placed<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Polled<B>> {
        let this = self.project();
        if this.frame.is_none() {
            let Poll::Ready(polled) = this.body.poll_frame(cx) else {
                this.permit.release();
                return Poll::Pending;
            };
            *this.frame = Some(polled);
        }
        ready!(this.permit.poll_acquire(cx));
        Poll::Ready(this.frame.take().flatten())
    }

    fn is_end_stream(&self) -> bool {
        self.frame.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
