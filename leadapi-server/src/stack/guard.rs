//! What stands between the listener and the service: how large a request may be, that there is one way to read it, how
//! many there are in work, and for how long one is waited for.

use std::{future::poll_fn, pin::Pin, task::Poll, time::Duration};

use http::Request;
use http_body::Body;
use leadapi_core::{BoxError, http::LeadService};
use tokio::{sync::watch, time::timeout};

use super::{
    Answered,
    ambiguous::ambiguous,
    place::{Place, Placed},
    refusal::{bad_request, internal_error},
};
use crate::{
    Ended, HttpLimits,
    metrics::{Metrics, One},
    room::Room,
};

/// The bounds of requests, shared by all connections.
#[derive(Clone)]
pub(crate) struct Guard {
    /// For those in work.
    room: Room,
    /// Has a receiver for each request that is not over, also where its body is waited for.
    over: watch::Sender<()>,
    time: Duration,
    headers: usize,
    target_bytes: usize,
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("there are {0} requests in work, as many as there may be")]
    Crowded(u32),
    #[error("there was no answer within {0:?}")]
    Late(Duration),
}

impl Guard {
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        Self {
            room: Room::for_at_most(limits.requests),
            over: watch::Sender::new(()),
            time: limits.request,
            headers: limits.headers,
            target_bytes: limits.target_bytes,
        }
    }

    /// Waits until every request is over.
    pub(crate) async fn idle(&self) {
        self.over.closed().await;
    }

    /// How a server ends that ends now.
    pub(crate) fn left(&self) -> Ended {
        let running = self.over.receiver_count();
        if running == 0 {
            return Ended::InOrder;
        }
        tracing::warn!(running, "requests were still running and have been cut off");
        Ended::CutOff
    }

    /// Begins to work on a request, or refuses it.
    pub(super) fn begin<B>(
        &self,
        service: &LeadService,
        request: Request<B>,
        metrics: &Metrics,
    ) -> Result<Working, Box<Answered>>
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError> + Send,
    {
        if let Some(refusal) = ambiguous(&request).or_else(|| self.too_large(&request)) {
            return Err(refusal.into());
        }
        let Some(place) = Place::take(&self.room) else {
            return Err(internal_error(Refused::Crowded(self.room.most()), Some(1)).into());
        };
        let holds = Holds { _place: place.clone(), _until: self.over.subscribe(), _counted: metrics.in_work() };
        let may_be_dropped = request.method().is_safe();
        let answer = service.answer(request.map(|body| Placed::new(body, place)));
        Ok(Working { answer, holds, time: self.time, may_be_dropped })
    }

    fn too_large<B>(&self, request: &Request<B>) -> Option<Answered> {
        let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        if target > self.target_bytes {
            return Some(bad_request(&format!("path and query must be at most {} bytes", self.target_bytes)));
        }
        let many = request.headers().len() > self.headers;
        many.then(|| bad_request(&format!("headers must be at most {}", self.headers)))
    }
}

/// A request in work.
pub(super) struct Working {
    answer: Pin<Box<dyn Future<Output = Answered> + Send>>,
    holds: Holds,
    time: Duration,
    may_be_dropped: bool,
}

/// What a request holds until it is over.
struct Holds {
    _place: Place,
    _until: watch::Receiver<()>,
    _counted: One,
}

impl Working {
    /// The answer, or the word that there was none in time; a write goes on behind it.
    pub(super) async fn answer(mut self) -> Answered {
        // Most answers are there at once, and need no timer.
        if let Poll::Ready(answered) = poll_fn(|cx| Poll::Ready(Pin::new(&mut self.answer).poll(cx))).await {
            return answered;
        }
        Box::pin(self.wait()).await
    }

    async fn wait(mut self) -> Answered {
        if let Ok(answered) = timeout(self.time, &mut self.answer).await {
            return answered;
        }
        let Self { answer, holds, time, may_be_dropped } = self;
        if !may_be_dropped {
            tokio::spawn(async move {
                let _holds = holds;
                answer.await
            });
        }
        internal_error(Refused::Late(time), Some(1))
    }
}
