//! The steps that a request takes from the listener to the service, in order:
//!
//! 1. request id: the caller's own or a new one, for the response and the log
//! 2. instrumentation: the span, the metrics and the log line
//! 3. request validation: size limits, and HTTP/1 requests that a proxy may interpret differently
//! 4. concurrency permits: one for the server and one for the token
//! 5. timeout
//! 6. detached writes: a write that has started runs to completion, even after a timeout or a disconnect
//! 7. the service

mod error_response;
mod log;
mod request_id;
mod validate;

use std::{future::pending, panic::resume_unwind, sync::Arc};

use http::{Request, Response};
use leadapi_core::http::{LeadService, ResponseBody, header::X_REQUEST_ID};
use tokio::{
    task::JoinError,
    time::{Instant, timeout_at},
};
use tracing::Instrument;

pub(crate) use self::request_id::request_id;
pub use self::request_id::with_request_ids;
use self::{
    error_response::{Rejection, error_response},
    log::LoggedRequest,
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

    async fn handle(
        self,
        mut request: Request<RequestBody>,
        received: Instant,
        backlog: Result<(), UnreadResponses>,
    ) -> Response<ResponseBody> {
        let id = request_id(request.headers());
        let logged = LoggedRequest::new(&request, id.clone());
        let is_write = !request.method().is_safe();
        let admit = || {
            backlog?;
            validate(&request, &self.0.limits)?;
            let in_flight = self.0.in_flight.begin(request.headers())?;
            request.body_mut().hold(in_flight);
            Ok(())
        };
        let admitted: Result<(), Rejection> = admit();
        let respond = async move {
            let Inner { service, limits, metrics, .. } = &*self.0;
            let span = logged.span();
            let steps = async {
                admitted?;
                let mut response = service.answer(request);
                timeout_at(received + limits.request, &mut response).await.map_err(|_| {
                    if is_write {
                        tokio::spawn(response);
                    }
                    Rejection::Timeout(limits.request)
                })
            };
            let (mut response, about) = steps.instrument(span.clone()).await.unwrap_or_else(error_response);
            let duration = received.elapsed();
            metrics.record_response(response.status(), about.operation, duration);
            span.in_scope(|| logged.log(response.status(), &about, duration));
            response.headers_mut().insert(X_REQUEST_ID, id);
            response
        };
        // The request is admitted above, so that shutdown waits for a write even if its task has not run yet.
        if is_write { run_to_completion(respond).await } else { respond.await }
    }
}

/// Runs a write as a task, so that it completes even if the client disconnects and the connection drops this future.
async fn run_to_completion<T: Send + 'static>(write: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(write).await.map_err(JoinError::try_into_panic) {
        Ok(response) => response,
        Err(Ok(panic)) => resume_unwind(panic),
        // The write is cancelled only when the runtime shuts down, which also cancels its caller.
        Err(Err(_)) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::{panic::AssertUnwindSafe, pin::pin};

    use futures_util::FutureExt;
    use leadapi_core::{
        memory::{MemoryStore, MemoryTokens, SystemClock},
        tokens::StoredTokens,
    };
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_write_completes_after_its_caller_has_stopped_waiting() {
        let (started, start) = oneshot::channel();
        let (completed, completion) = oneshot::channel();
        let write = async {
            start.await.unwrap();
            completed.send(()).unwrap();
        };
        assert!(run_to_completion(write).now_or_never().is_none());
        started.send(()).unwrap();
        completion.await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_of_a_write_reaches_its_caller() {
        let write = AssertUnwindSafe(run_to_completion(async { panic!("on purpose") }));
        assert_eq!(write.catch_unwind().await.unwrap_err().downcast_ref(), Some(&"on purpose"));
    }

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
