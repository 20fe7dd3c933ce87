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

mod log;
mod rejection;

use std::{net::IpAddr, sync::Arc, time::Duration};

use bytes::Buf;
use http::{Request, Response, StatusCode};
use http_body::Body;
use leadapi_access::{Authenticator, LogBudget, Verified, request_id, run_to_completion};
use leadapi_core::{
    BoxError,
    http::{LeadService, RequestLog, ResponseBody, header::X_REQUEST_ID},
    port::Verdict,
};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use self::rejection::{Rejection, error_response, validate};
pub(crate) use self::{log::LoggedRequest, rejection::refusal};
use crate::{
    in_flight::{PermitBody, RequestsInFlight},
    limits::HttpLimits,
    listen::{Handler, NotRunnable, RequestBody},
    metrics::Metrics,
};

/// The service with its middleware, for requests from one peer.
#[derive(Clone)]
pub(crate) struct Middleware {
    inner: Arc<Inner>,
    peer: Option<IpAddr>,
}

struct Inner {
    authenticator: Authenticator,
    limits: Arc<HttpLimits>,
    in_flight: RequestsInFlight,
    metrics: Arc<Metrics>,
    log_budget: LogBudget,
}

impl Middleware {
    pub(crate) fn new(
        service: LeadService,
        limits: Arc<HttpLimits>,
        in_flight: RequestsInFlight,
        metrics: Arc<Metrics>,
    ) -> Self {
        let authenticator = Authenticator::new(service).timeout(limits.request);
        let counted = metrics.clone();
        let log_budget = LogBudget::new().on_suppressed(move || counted.record_suppressed_line());
        Self { inner: Arc::new(Inner { authenticator, limits, in_flight, metrics, log_budget }), peer: None }
    }

    /// Returns the middleware for requests from a peer at this address.
    pub(crate) fn with_peer(&self, peer: Option<IpAddr>) -> Self {
        Self { inner: self.inner.clone(), peer }
    }

    pub(crate) fn authenticator(&self) -> Authenticator {
        self.inner.authenticator.clone()
    }

    /// Records a response in the metrics and the log. Skips the log line if the request has no caller and its peer has
    /// caused too many lines.
    pub(crate) fn record(&self, logged: &LoggedRequest, status: StatusCode, about: &RequestLog, duration: Duration) {
        let Inner { metrics, log_budget, .. } = &*self.inner;
        metrics.record_response(status, about.operation, duration);
        if about.caller.is_some() || log_budget.admits(self.peer) {
            logged.log(status, about, duration);
        }
    }

    /// Returns the response to a request whose head arrived at `received`. If `runnable` is an error, rejects the
    /// request without running it.
    pub(crate) async fn respond<B>(
        self,
        request: Request<B>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<ResponseBody>
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError> + Send> + Send + Unpin + 'static,
    {
        let inner = &self.inner;
        let id = request_id(request.headers());
        let logged = LoggedRequest::new(&request, id.clone());
        let is_write = !request.method().is_safe();
        let valid = runnable.map_err(Rejection::from).and_then(|()| validate(&request, &inner.limits));
        let unknown = valid.as_ref().ok().and_then(|()| inner.authenticator.service().unknown_token(&request));
        let verdict = match (valid, unknown) {
            (Err(rejection), _) => Err(rejection),
            (Ok(()), None) => Ok(None),
            (Ok(()), Some(token)) => {
                let looking_up = inner.authenticator.look_up(token, self.peer, received).instrument(logged.span());
                looking_up.await.map(Some).map_err(Rejection::from)
            }
        };
        let admitted: Result<(Option<Verified>, _), Rejection> = verdict.and_then(|verdict| {
            // The service refuses any other token at once.
            let is_good = matches!(verdict, None | Some(Ok(Verdict::Good(_))));
            let in_flight = is_good.then(|| inner.in_flight.begin(request.headers())).transpose()?;
            Ok((verdict, in_flight))
        });
        let respond = async move {
            let Inner { authenticator, limits, .. } = &*self.inner;
            let span = logged.span();
            let steps = async {
                let (verdict, in_flight) = admitted?;
                let request = request.map(|body| PermitBody::new(body, in_flight));
                let mut response = authenticator.service().answer_verified(request, verdict);
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

impl Handler for Middleware {
    type ResponseBody = ResponseBody;

    fn for_peer(&self, peer: IpAddr) -> Self {
        self.with_peer(Some(peer))
    }

    async fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<ResponseBody> {
        self.respond(request, received, runnable).await
    }
}
