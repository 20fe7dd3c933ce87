//! The concurrency permit of a request. A request releases it while it waits for its body, so that peers that send
//! half a body cannot exhaust the limit.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::room::{Permit, Room};

type Return = Pin<Box<dyn Future<Output = Option<Permit>> + Send>>;

pin_project! {
    /// The body of a request, with its permit. The service holds the body until there is a response, and so the
    /// permit.
    pub(crate) struct Placed<B: Body> {
        #[pin]
        body: B,
        room: Room,
        // `None` while the request waits for its body.
        place: Option<Permit>,
        // The frame that arrived without a permit, and the wait for a new one. Boxed, because it is rare.
        came: Option<Box<(Polled<B>, Return)>>,
    }
}

type Polled<B> = Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>;

impl<B: Body> Placed<B> {
    pub(super) const fn new(body: B, room: Room, place: Permit) -> Self {
        Self { body, room, place: Some(place), came: None }
    }
}

impl<B: Body> Body for Placed<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Polled<B>> {
        let this = self.project();
        if this.came.is_none() {
            let Poll::Ready(polled) = this.body.poll_frame(cx) else {
                *this.place = None;
                return Poll::Pending;
            };
            if this.place.is_some() {
                return Poll::Ready(polled);
            }
            *this.came = Some(Box::new((polled, Box::pin(this.room.clone().wait()))));
        }
        if let Some(came) = this.came {
            *this.place = ready!(came.1.as_mut().poll(cx));
        }
        Poll::Ready(this.came.take().and_then(|came| came.0))
    }

    fn is_end_stream(&self) -> bool {
        self.came.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
