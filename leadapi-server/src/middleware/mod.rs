//! The steps that a request takes from the listener to the service, in order:
//!
//! 1. request id: the caller's own or a new one, for the response and the log
//! 2. instrumentation: the span, the metrics and the log line
//! 3. request validation: size limits, and HTTP/1 requests that a proxy may interpret differently
//! 4. concurrency permits: one for the server and one for the token
//! 5. timeout
//! 6. detached writes: a write that has started runs to completion
//! 7. the service
//!
//! The response passes through them in reverse order.

mod error_response;
mod log;
mod request_id;
mod spawn_on_drop;
mod validate;

use std::sync::Arc;

use http::{Request, Response};
use leadapi_core::http::{LeadService, ResponseBody, header::X_REQUEST_ID};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

pub use self::request_id::with_request_ids;
use self::{
    error_response::{Rejection, error_response},
    log::LoggedRequest,
    request_id::request_id,
    spawn_on_drop::SpawnOnDrop,
    validate::validate,
};
use crate::{
    in_flight::RequestsInFlight,
    limits::HttpLimits,
    listen::{Handler, RequestBody, UnreadResponses},
    metrics::Metrics,
};

/// The service with its middleware.
#[derive(Clone)]
pub(crate) struct Middleware(Arc<Inner>);

struct Inner {
    service: LeadService,
    limits: Arc<HttpLimits>,
    in_flight: RequestsInFlight,
    metrics: Arc<Metrics>,
}

impl Middleware {
    pub(crate) fn new(
        service: LeadService,
        limits: Arc<HttpLimits>,
        in_flight: RequestsInFlight,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self(Arc::new(Inner { service, limits, in_flight, metrics }))
    }
}

impl Handler for Middleware {
    type ResponseBody = ResponseBody;

    fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        backlog: Result<(), UnreadResponses>,
    ) -> impl Future<Output = Response<ResponseBody>> + Send {
        let is_write = !request.method().is_safe();
        // The connection drops the future when the client disconnects, but a write must still run to completion.
        SpawnOnDrop::new(Box::pin(self.respond(request, received, backlog)), is_write)
    }
}

impl Middleware {
    async fn respond(
        self,
        mut request: Request<RequestBody>,
        received: Instant,
        backlog: Result<(), UnreadResponses>,
    ) -> Response<ResponseBody> {
        let Inner { service, limits, in_flight, metrics } = &*self.0;
        let id = request_id(request.headers());
        let logged = LoggedRequest::new(&request, id.clone());
        let span = logged.span();
        let steps = async {
            backlog?;
            validate(&request, limits)?;
            let in_flight = in_flight.begin(request.headers())?;
            request.body_mut().hold(in_flight);
            let is_write = !request.method().is_safe();
            let response = SpawnOnDrop::new(service.answer(request), is_write);
            timeout_at(received + limits.request, response).await.map_err(|_| Rejection::Timeout(limits.request))
        };
        let (mut response, about) = steps.instrument(span.clone()).await.unwrap_or_else(error_response);
        let duration = received.elapsed();
        metrics.record_response(response.status(), about.operation, duration);
        span.in_scope(|| logged.log(response.status(), &about, duration));
        response.headers_mut().insert(X_REQUEST_ID, id);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use leadapi_core::{
        memory::{MemoryStore, MemoryTokens, SystemClock},
        tokens::StoredTokens,
    };

    use super::*;

    #[tokio::test]
    async fn a_request_is_in_flight_until_the_service_has_answered_it() {
        let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
        let service = LeadService::builder(MemoryStore::default(), verifier).build().unwrap();
        let metrics = Arc::new(Metrics::new().unwrap());
        let in_flight = RequestsInFlight::new(&HttpLimits::default(), metrics.in_flight().clone());
        let middleware = Middleware::new(service, Arc::default(), in_flight.clone(), metrics.clone());
        let counts = |count: usize| {
            let line = format!("leadapi_requests_in_flight {count}\n");
            in_flight.count() == count && metrics.text().unwrap().contains(&line)
        };
        let headers = "localhost".parse().into_iter().map(|host| (http::header::HOST, host)).collect();
        let guard = in_flight.begin(&headers).unwrap();
        assert!(counts(1));
        drop(guard);
        let request = Request::get("/leads").header("host", "localhost").body(RequestBody::empty()).unwrap();
        let mut response = pin!(middleware.handle(request, Instant::now(), Ok(())));
        assert_eq!(response.as_mut().await.status(), 401);
        assert!(counts(0));
    }
}
