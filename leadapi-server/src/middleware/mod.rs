//! The steps that a request takes from the listener to the service, in order:
//!
//! 1. request id: the caller's own or a new one, for the response and the log
//! 2. instrumentation: the span, the metrics and the log line
//! 3. request validation: size limits
//! 4. the lookup of an unknown token, which has a small budget of its own, because anybody can make up tokens
//! 5. concurrency permits: one for the server and one for the token
//! 6. timeout
//! 7. detached writes: a write that has started runs to completion, even after a timeout or a disconnect
//! 8. the service

mod error_response;
mod log;
mod request_id;
mod validate;

use std::{future::pending, net::IpAddr, panic::resume_unwind, sync::Arc, time::Duration};

use http::{Request, Response, StatusCode};
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Caller, Scope},
    http::{LeadService, RequestLog, ResponseBody, header::X_REQUEST_ID},
    port::Verdict,
};
use tokio::{
    task::JoinError,
    time::{Instant, timeout_at},
};
use tracing::Instrument;

pub use self::request_id::with_request_ids;
use self::{
    error_response::{Rejection, error_response},
    validate::validate,
};
pub(crate) use self::{log::LoggedRequest, request_id::request_id};
use crate::{
    in_flight::{Overloaded, RequestsInFlight},
    limits::HttpLimits,
    listen::{Handler, NotRunnable, RequestBody},
    log_budget::LogBudget,
    lookup_limit::LookupLimit,
    metrics::Metrics,
};

/// The service with its middleware, for requests from one peer.
#[derive(Clone)]
pub(crate) struct Middleware {
    inner: Arc<Inner>,
    peer: Option<IpAddr>,
}

struct Inner {
    service: LeadService,
    limits: Arc<HttpLimits>,
    lookups: LookupLimit,
    in_flight: RequestsInFlight,
    metrics: Arc<Metrics>,
    log_budget: LogBudget,
}

/// The response to a request that a check has refused, and its log.
#[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only the MCP listener needs it"))]
pub(crate) type Refused = Box<(Response<ResponseBody>, RequestLog)>;

/// The result of verifying an unknown token.
type Verified = Result<Verdict, BoxError>;

impl Middleware {
    pub(crate) fn new(
        service: LeadService,
        limits: Arc<HttpLimits>,
        in_flight: RequestsInFlight,
        metrics: Arc<Metrics>,
    ) -> Self {
        let (lookups, log_budget) = (LookupLimit::new(), LogBudget::new());
        Self { inner: Arc::new(Inner { service, limits, lookups, in_flight, metrics, log_budget }), peer: None }
    }

    /// Returns the caller of a request that no operation covers. `like` is a request with the same headers for an
    /// operation. The error is the response.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only the MCP listener needs it"))]
    pub(crate) async fn caller<B>(&self, like: &Request<B>, received: Instant) -> Result<Caller, Refused> {
        let verdict = match self.inner.service.unknown_token(like) {
            None => None,
            Some(token) => {
                Some(self.look_up(token, received).await.map_err(|rejection| Box::new(error_response(rejection)))?)
            }
        };
        self.inner.service.authenticate(like.headers(), verdict).await
    }

    /// Counts a request that no operation covers towards the caller's rate limit for reads. The error is the response.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only the MCP listener needs it"))]
    pub(crate) async fn count_read(&self, caller: &Caller) -> Result<(), Refused> {
        self.inner.service.admit(caller, Scope::Read).await
    }

    /// Records a response in the metrics and the log. Skips the log line if the request has no caller and its peer has
    /// caused too many lines.
    pub(crate) fn record(&self, logged: &LoggedRequest, status: StatusCode, about: &RequestLog, duration: Duration) {
        let Inner { metrics, log_budget, .. } = &*self.inner;
        metrics.record_response(status, about.operation, duration);
        if about.caller.is_some() || log_budget.admits(self.peer) {
            logged.log(status, about, duration);
        } else {
            metrics.record_suppressed_line();
        }
    }

    /// Looks an unknown token up, within the limits on such lookups.
    async fn look_up(&self, token: BearerToken, received: Instant) -> Result<Verified, Rejection> {
        let Inner { service, limits, lookups, .. } = &*self.inner;
        let looking_up = async {
            let permit = lookups.acquire(self.peer).await.ok_or(Overloaded::Lookups)?;
            let service = service.clone();
            let lookup = async move {
                let verdict = service.verify(&token).await;
                if !matches!(verdict, Ok(Verdict::Unknown)) {
                    permit.found();
                }
                verdict
            };
            // An abandoned lookup would cost the store a connection.
            Ok(run_to_completion(lookup.in_current_span()).await)
        };
        timeout_at(received + limits.request, looking_up).await.map_err(|_| Rejection::Timeout(limits.request))?
    }
}

impl Handler for Middleware {
    type ResponseBody = ResponseBody;

    fn for_peer(&self, peer: IpAddr) -> Self {
        Self { inner: self.inner.clone(), peer: Some(peer) }
    }

    async fn handle(
        self,
        mut request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<ResponseBody> {
        let inner = &self.inner;
        let id = request_id(request.headers());
        let logged = LoggedRequest::new(&request, id.clone());
        let is_write = !request.method().is_safe();
        let valid = runnable.map_err(Rejection::from).and_then(|()| validate(&request, &inner.limits));
        let unknown = valid.as_ref().ok().and_then(|()| inner.service.unknown_token(&request));
        let verdict = match (valid, unknown) {
            (Err(rejection), _) => Err(rejection),
            (Ok(()), None) => Ok(None),
            (Ok(()), Some(token)) => self.look_up(token, received).instrument(logged.span()).await.map(Some),
        };
        let admitted: Result<Option<Verified>, Rejection> = verdict.and_then(|verdict| {
            // The service refuses any other token at once.
            if matches!(verdict, None | Some(Ok(Verdict::Good(_)))) {
                let in_flight = inner.in_flight.begin(request.headers())?;
                request.body_mut().hold(in_flight);
            }
            Ok(verdict)
        });
        let respond = async move {
            let Inner { service, limits, .. } = &*self.inner;
            let span = logged.span();
            let steps = async {
                let mut response = service.answer_verified(request, admitted?);
                timeout_at(received + limits.request, &mut response).await.map_err(|_| {
                    if is_write {
                        tokio::spawn(response);
                    }
                    Rejection::Timeout(limits.request)
                })
            };
            let (mut response, about) = steps.instrument(span.clone()).await.unwrap_or_else(error_response);
            span.in_scope(|| self.record(&logged, response.status(), &about, received.elapsed()));
            response.headers_mut().insert(X_REQUEST_ID, id);
            response
        };
        // The request is admitted above, so that shutdown waits for a write even if its task has not run yet.
        if is_write { run_to_completion(respond).await } else { respond.await }
    }
}

/// Runs work as a task, so that it completes even if the client disconnects and the connection drops this future.
async fn run_to_completion<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(work).await.map_err(JoinError::try_into_panic) {
        Ok(response) => response,
        Err(Ok(panic)) => resume_unwind(panic),
        // The task is cancelled only when the runtime shuts down, which also cancels its caller.
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
