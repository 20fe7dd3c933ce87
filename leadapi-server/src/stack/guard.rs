//! The checks between the listener and the service: the size of a request, its ambiguity, the number of requests in
//! flight, and the time until the response.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use http::{Request, request::Parts};
use http_body::Body;
use leadapi_core::{BoxError, http::LeadService};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use super::{
    Answered,
    ambiguous::ambiguous,
    place::Placed,
    refusal::{bad_request, internal_error},
    token_limit::{TokenLimit, TokenPermit},
};
use crate::{concurrency_limit::ConcurrencyLimit, limits::HttpLimits, shutdown::ShutdownOutcome};

/// The limits of requests, shared by all connections.
#[derive(Clone)]
pub(crate) struct Guard {
    /// For requests in flight, except those that wait for their body.
    room: ConcurrencyLimit,
    by_token: TokenLimit,
    /// All requests that have not finished, including those that wait for their body.
    unfinished: TaskTracker,
    time: Duration,
    headers: usize,
    target_bytes: usize,
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("there are {0} requests in work, as many as there may be")]
    Crowded(u32),
    #[error("the token has {0} requests in flight, the limit of a token")]
    TokenLimit(usize),
    #[error("there was no answer within {0:?}")]
    Late(Duration),
    #[error("the client did not read its earlier answers within {0:?}")]
    Behind(Duration),
}

impl Guard {
    pub(crate) fn new(limits: &HttpLimits, unfinished: TaskTracker) -> Self {
        Self {
            room: ConcurrencyLimit::new(limits.requests),
            by_token: TokenLimit::new(limits.token_requests),
            unfinished,
            time: limits.request,
            headers: limits.headers,
            target_bytes: limits.target_bytes,
        }
    }

    /// Waits until every request has finished.
    pub(crate) async fn idle(&self) {
        self.unfinished.close();
        self.unfinished.wait().await;
    }

    /// Returns how a server ends that ends now.
    pub(crate) fn left(&self) -> ShutdownOutcome {
        let running = self.unfinished.len();
        if running == 0 {
            return ShutdownOutcome::Graceful;
        }
        tracing::warn!(running, "requests were still running and have been cut off");
        ShutdownOutcome::Forced
    }

    /// Returns the refusal of a request whose client did not read earlier responses in time.
    pub(super) fn behind(&self) -> Answered {
        internal_error(Refused::Behind(self.time), Some(1))
    }

    /// Starts a request, or refuses it.
    pub(super) fn begin<B>(
        &self,
        service: &LeadService,
        head: Parts,
        body: B,
        since: Instant,
    ) -> Result<Working, Box<Answered>>
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError> + Send,
    {
        if let Some(refusal) = ambiguous(&head).or_else(|| self.too_large(&head)) {
            return Err(refusal.into());
        }
        let Ok(permit) = self.by_token.acquire(&head.headers) else {
            return Err(internal_error(Refused::TokenLimit(self.by_token.limit()), Some(1)).into());
        };
        let Some(place) = self.room.try_acquire() else {
            return Err(internal_error(Refused::Crowded(self.room.limit()), Some(1)).into());
        };
        let may_be_dropped = head.method.is_safe();
        let body = Placed::new(body, place);
        let answer = service.answer(Request::from_parts(head, body));
        let work = Work { answer, _permit: permit, _unfinished: self.unfinished.token() };
        Ok(Working { work: Some(work), timer: None, since, time: self.time, may_be_dropped })
    }

    fn too_large(&self, head: &Parts) -> Option<Answered> {
        let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
        if target > self.target_bytes {
            return Some(bad_request(&format!("path and query must be at most {} bytes", self.target_bytes)));
        }
        let many = head.headers.len() > self.headers;
        many.then(|| bad_request(&format!("headers must be at most {}", self.headers)))
    }
}

/// The response to a request, or an error if it is not there in time. A late write continues as a task.
pub(super) struct Working {
    work: Option<Work>,
    /// Created when the response is not ready at once, which is rare.
    timer: Option<Pin<Box<Sleep>>>,
    since: Instant,
    time: Duration,
    may_be_dropped: bool,
}

/// A request in flight, with its token's permit and its entry among the unfinished requests.
struct Work {
    answer: Pin<Box<dyn Future<Output = Answered> + Send>>,
    _permit: Option<TokenPermit>,
    _unfinished: TaskTrackerToken,
}

impl Future for Working {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answered> {
        let Self { work, timer, since, time, may_be_dropped } = &mut *self;
        if let Some(work) = work
            && let Poll::Ready(answered) = Pin::new(work).poll(cx)
        {
            return Poll::Ready(answered);
        }
        ready!(timer.get_or_insert_with(|| Box::pin(sleep_until(*since + *time))).as_mut().poll(cx));
        let late = work.take().filter(|_| !*may_be_dropped);
        late.map(tokio::spawn);
        Poll::Ready(internal_error(Refused::Late(*time), Some(1)))
    }
}

impl Future for Work {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answered> {
        self.answer.as_mut().poll(cx)
    }
}
