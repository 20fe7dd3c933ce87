//! The layers around the service on every request: its id, its log line, its metrics and the guard.
//!
//! One future does all of it. As separate layers, each would hand the request and its response to the next, and over
//! HTTP that cost more than the service itself.

mod ambiguous;
mod detached;
mod guard;
mod log;
mod place;
mod refusal;
mod request_id;
mod token_limit;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderValue, Response, request};
use http_body::Body;
use http_body_util::Full;
use leadapi_core::{
    BoxError,
    http::{LeadService, RequestLog, header::X_REQUEST_ID},
};
use tokio::time::Instant;
use tracing::Span;

pub(crate) use self::guard::Guard;
pub use self::request_id::with_request_ids;
use self::{
    detached::Detached,
    guard::Working,
    log::{log, span},
    request_id::request_id,
};
use crate::{
    listen::{Handler, Timely},
    metrics::Metrics,
};

/// A response, and the data for its log line.
type Answered = (Response<Full<Bytes>>, RequestLog);

/// The service as the server serves it.
#[derive(Clone)]
pub(crate) struct Stack(Arc<Parts>);

struct Parts {
    service: LeadService,
    guard: Guard,
    metrics: Arc<Metrics>,
}

impl Stack {
    pub(crate) fn new(service: LeadService, guard: Guard, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Parts { service, guard, metrics }))
    }

    /// Does all work that needs the request before it returns the future, which would otherwise carry the request
    /// along.
    fn run<B>(self, head: request::Parts, body: B, since: Instant) -> Recorded
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError> + Send,
    {
        let id = request_id(&head.headers);
        let span = span(&head, &id);
        let Parts { service, guard, .. } = &*self.0;
        let begun = span.in_scope(|| guard.begin(service, head, body, since)).map_err(Some);
        Recorded { begun, parts: self.0, id: Some(id), since, span }
    }
}

/// A pending response that receives its id, its metrics and its log line.
///
/// One hand-written future instead of combinators, because each combinator would move the response once more.
struct Recorded {
    /// In flight, or refused.
    begun: Result<Working, Option<Box<Answered>>>,
    parts: Arc<Parts>,
    /// `None` once there is a response.
    id: Option<HeaderValue>,
    since: Instant,
    span: Span,
}

impl Future for Recorded {
    type Output = Response<Full<Bytes>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { begun, parts, id, since, span } = &mut *self;
        let _within = span.enter();
        let (mut response, about) = match begun {
            Ok(working) => ready!(Pin::new(working).poll(cx)),
            Err(refusal) => *ready!(refusal.take().map_or(Poll::Pending, Poll::Ready)),
        };
        // The request is no longer in flight, even if the rest of its body must still be discarded.
        *begun = Err(None);
        let took = since.elapsed();
        parts.metrics.answered(response.status(), about.operation, took);
        log(response.status(), &about, took);
        if let Some(id) = id.take() {
            response.headers_mut().insert(X_REQUEST_ID, id);
        }
        Poll::Ready(response)
    }
}

impl Handler for Stack {
    type Body = Full<Bytes>;

    fn answer(
        self,
        head: request::Parts,
        body: Timely,
        since: Instant,
    ) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        let is_write = !head.method.is_safe();
        Detached::new(self.run(head, body, since), is_write)
    }

    fn refuse(self, head: request::Parts, since: Instant) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        let id = request_id(&head.headers);
        let span = span(&head, &id);
        let refusal = Box::new(self.0.guard.behind());
        Recorded { begun: Err(Some(refusal)), parts: self.0, id: Some(id), since, span }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use http::Request;
    use http_body_util::Empty;
    use leadapi_core::{
        memory::{MemoryStore, MemoryTokens, SystemClock},
        tokens::StoredTokens,
    };

    use super::*;
    use crate::{limits::HttpLimits, shutdown::ShutdownOutcome};

    #[tokio::test]
    async fn what_has_been_answered_is_not_in_work() {
        let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
        let service = LeadService::builder(MemoryStore::default(), verifier).build().unwrap();
        let metrics = Arc::new(Metrics::new().unwrap());
        let guard = Guard::new(&HttpLimits::default(), metrics.unfinished().clone());
        let stack = Stack::new(service, guard.clone(), metrics.clone());
        let says = |many: u8| metrics.text().unwrap().contains(&format!("leadapi_requests_in_flight {many}\n"));
        let request = Request::get("/leads").header("host", "localhost").body(Empty::<Bytes>::new()).unwrap();
        let (head, body) = request.into_parts();
        let mut answer = pin!(stack.run(head, body, Instant::now()));
        assert!(matches!(guard.left(), ShutdownOutcome::Forced) && says(1));
        assert_eq!(answer.as_mut().await.status(), 401);
        assert!(matches!(guard.left(), ShutdownOutcome::Graceful) && says(0));
    }
}
