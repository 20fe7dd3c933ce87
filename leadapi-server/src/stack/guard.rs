//! What stands between the listener and the service: how large a request may be, that there is one way to read it, how
//! many there are in work, and for how long one is waited for.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use tokio::{sync::watch, time::timeout};
use tower::Service;

use super::{
    ambiguous::ambiguous,
    place::{Place, Placed},
    refusal::{bad_request, internal_error},
};
use crate::{
    Ended, HttpLimits,
    metrics::{InFlight, One},
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

    fn too_large<B>(&self, request: &Request<B>) -> Option<Response<Full<Bytes>>> {
        let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        if target > self.target_bytes {
            return Some(bad_request(&format!("path and query must be at most {} bytes", self.target_bytes)));
        }
        let many = request.headers().len() > self.headers;
        many.then(|| bad_request(&format!("headers must be at most {}", self.headers)))
    }
}

/// A service behind the guard.
#[derive(Clone)]
pub(super) struct Guarded<S> {
    pub(super) guard: Guard,
    pub(super) service: S,
    pub(super) in_flight: InFlight,
}

impl<S, B> Service<Request<B>> for Guarded<S>
where
    S: Service<Request<Placed<B>>, Response = Response<Full<Bytes>>, Error = Infallible>,
    S::Future: Unpin + Send + 'static,
    B: Body,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if let Some(refusal) = ambiguous(&request).or_else(|| self.guard.too_large(&request)) {
            return Box::pin(std::future::ready(Ok(refusal)));
        }
        let Some(place) = Place::take(&self.guard.room) else {
            let refusal = internal_error(Refused::Crowded(self.guard.room.most()), Some(1));
            return Box::pin(std::future::ready(Ok(refusal)));
        };
        let may_be_dropped = request.method().is_safe();
        let work =
            Work { _place: place.clone(), _until: self.guard.over.subscribe(), _counted: self.in_flight.begin() };
        let answer = self.service.call(request.map(|body| Placed::new(body, place)));
        Box::pin(in_time(self.guard.time, answer, work, may_be_dropped))
    }
}

/// What a request holds until it is over.
struct Work {
    _place: Place,
    _until: watch::Receiver<()>,
    _counted: One,
}

/// An answer, or the word that there was none in time; a write that has begun goes on behind it.
async fn in_time<F>(
    time: Duration,
    mut answer: F,
    work: Work,
    may_be_dropped: bool,
) -> Result<Response<Full<Bytes>>, Infallible>
where
    F: Future<Output = Result<Response<Full<Bytes>>, Infallible>> + Unpin + Send + 'static,
{
    if let Ok(answer) = timeout(time, &mut answer).await {
        return answer;
    }
    if !may_be_dropped {
        tokio::spawn(async move {
            let _work = work;
            answer.await
        });
    }
    Ok(internal_error(Refused::Late(time), Some(1)))
}
