//! The place that a request holds while it is in work, and gives up while its body is waited for: else peers that send
//! half a body would keep all others out.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::room::{Permit, Room};

type Return = Pin<Box<dyn Future<Output = Option<Permit>> + Send>>;

pin_project! {
    /// The body of a request, with its place. The service holds the body until there is an answer, and so the place.
    pub(crate) struct Placed<B: Body> {
        #[pin]
        body: B,
        room: Room,
        // None while the body is waited for.
        place: Option<Permit>,
        // What came while there was no place, and the wait for another: in a box, because most bodies are there.
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
