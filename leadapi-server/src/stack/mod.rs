//! What stands around the service on every request: its id, its line in the log, its place in the metrics, and the guard.
//!
//! One future goes through all of it. As a layer each they hand the request and its answer from one to the next, and over
//! HTTP that cost more than the service itself.

mod ambiguous;
mod detached;
mod guard;
mod log;
mod place;
mod refusal;
mod request_id;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{FutureExt, future::Either};
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_core::{
    BoxError,
    http::{LeadService, RequestLog, header::X_REQUEST_ID},
};
use tokio::time::Instant;
use tracing::Instrument;

pub(crate) use self::guard::Guard;
pub use self::request_id::with_request_ids;
use self::{
    detached::Detached,
    log::{log, span},
    request_id::request_id,
};
use crate::{
    listen::{Answer, Timely},
    metrics::Metrics,
};

/// An answer, and beside it what there is to log.
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

    /// All that needs the request itself is done before the future is made, which would carry it about otherwise.
    fn run<B>(self, request: Request<B>, since: Instant) -> impl Future<Output = Response<Full<Bytes>>> + Send + use<B>
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError> + Send,
    {
        let id = request_id(request.headers());
        let span = span(&request, &id);
        let Parts { service, guard, metrics } = &*self.0;
        let begun = span.in_scope(|| guard.begin(service, request, metrics));
        // Not with async blocks, each of which has room for what it waits for twice: the whole is moved for each request.
        let answer = match begun {
            Ok(working) => Either::Left(working),
            Err(refusal) => Either::Right(async { *refusal }),
        };
        let answered = answer.map(move |(mut response, about)| {
            let took = since.elapsed();
            self.0.metrics.answered(response.status(), about.operation, took);
            log(response.status(), &about, took);
            response.headers_mut().insert(X_REQUEST_ID, id);
            response
        });
        answered.instrument(span)
    }
}

impl Answer for Stack {
    type Body = Full<Bytes>;

    fn answer(self, request: Request<Timely>, since: Instant) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        let is_safe = request.method().is_safe();
        let answered = self.run(request, since);
        if is_safe { Either::Left(answered) } else { Either::Right(Detached::new(answered)) }
    }
}
