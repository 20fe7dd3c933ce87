//! The place that a request holds while it is in work, and gives up while its body is waited for: else peers that send
//! half a body would keep all others out.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::room::{Permit, Room};

/// Free as long as it holds nothing.
#[derive(Clone)]
pub(super) struct Place {
    room: Room,
    permit: Arc<Mutex<Option<Permit>>>,
}

impl Place {
    /// One in this room; `None` when there is none left.
    pub(super) fn take(room: &Room) -> Option<Self> {
        let permit = room.enter()?;
        Some(Self { room: room.clone(), permit: Arc::new(Mutex::new(Some(permit))) })
    }

    fn set(&self, permit: Option<Permit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

type Return = Pin<Box<dyn Future<Output = Option<Permit>> + Send>>;

pin_project! {
    /// The body of a request that has a place.
    pub(crate) struct Placed<B: Body> {
        #[pin]
        body: B,
        place: Place,
        waits: bool,
        // What came while the place was given up, and the wait for another: in a box, because most bodies are there.
        came: Option<Box<(Polled<B>, Return)>>,
    }
}

type Polled<B> = Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>;

impl<B: Body> Placed<B> {
    pub(super) const fn new(body: B, place: Place) -> Self {
        Self { body, place, waits: false, came: None }
    }
}

impl<B: Body> Body for Placed<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Polled<B>> {
        let this = self.project();
        if this.came.is_none() {
            let Poll::Ready(polled) = this.body.poll_frame(cx) else {
                *this.waits = true;
                this.place.set(None);
                return Poll::Pending;
            };
            if !*this.waits {
                return Poll::Ready(polled);
            }
            *this.waits = false;
            let room = this.place.room.clone();
            *this.came = Some(Box::new((polled, Box::pin(room.wait()))));
        }
        if let Some(came) = this.came {
            let permit = ready!(came.1.as_mut().poll(cx));
            this.place.set(permit);
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
