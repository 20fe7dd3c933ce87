//! Finds the caller of a request, and limits the lookups of unknown tokens.

use std::{error::Error, fmt, future::pending, net::IpAddr, panic::resume_unwind, sync::Arc, time::Duration};

use http::{
    HeaderMap, Request, Response, StatusCode,
    header::{AUTHORIZATION, RETRY_AFTER},
};
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Caller, Scope},
    http::{LeadService, Operation, RequestLog, ResponseBody, error_response},
    port::Verdict,
};
use tokio::{
    task::JoinError,
    time::{Instant, timeout_at},
};
use tracing::Instrument;

use crate::lookup_limit::LookupLimit;

/// The response to a request that a check has refused, and its log.
pub type Refused = Box<(Response<ResponseBody>, RequestLog)>;

/// The result of verifying an unknown token.
pub type Verified = Result<Verdict, BoxError>;

/// Finds the caller of a request. Lookups of unknown tokens have a small budget of their own, because anybody can make
/// up tokens. Clones share the budget.
///
/// ```
/// use http::HeaderMap;
/// use leadapi_access::Authenticator;
/// use leadapi_core::{http::LeadService, memory::*, tokens::StoredTokens};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
/// let callers = Authenticator::new(LeadService::builder(MemoryStore::default(), verifier).build()?);
/// let refused = callers.caller(&HeaderMap::new(), None).await.unwrap_err();
/// assert_eq!(refused.0.status(), 401);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Authenticator {
    service: LeadService,
    lookups: LookupLimit,
    timeout: Duration,
}

/// The reason why an unknown token was not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// Too many lookups are waiting.
    #[error("too many lookups of unknown tokens")]
    TooMany,
    /// The lookup did not end within this time.
    #[error("there was no response within {0:?}")]
    TimedOut(Duration),
}

impl Authenticator {
    /// Creates an authenticator for the callers of a service. A request may wait 15 s for a lookup.
    pub fn new(service: LeadService) -> Self {
        Self { service, lookups: LookupLimit::new(), timeout: Duration::from_secs(15) }
    }

    /// Sets how long a request may wait for a lookup.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the service.
    pub const fn service(&self) -> &LeadService {
        &self.service
    }

    /// Returns the caller of a request to an endpoint outside the API, such as an MCP server. The error is the
    /// response.
    ///
    /// # Errors
    ///
    /// Returns the response to send if the request has no valid token, or if its token could not be looked up.
    pub async fn caller(&self, headers: &HeaderMap, peer: Option<IpAddr>) -> Result<Caller, Refused> {
        let like = self.like_an_operation(headers)?;
        let verdict = match self.service.unknown_token(&like) {
            None => None,
            Some(token) => {
                let looked_up = self.look_up(token, peer, Instant::now()).await;
                Some(looked_up.map_err(|error| Box::new(internal_error(error)))?)
            }
        };
        self.service.authenticate(headers, verdict).await
    }

    /// Counts a request to an endpoint outside the API towards the caller's rate limit for reads. The error is the
    /// response.
    ///
    /// # Errors
    ///
    /// Returns the response to a request that exceeds the rate limit.
    pub async fn count_read(&self, caller: &Caller) -> Result<(), Refused> {
        self.service.admit(caller, Scope::Read).await
    }

    /// Looks an [unknown token](LeadService::unknown_token) up, within the limits on such lookups. The lookup runs to
    /// completion even if the caller stops waiting, because an abandoned lookup would cost the store a connection.
    ///
    /// # Errors
    ///
    /// Returns [`LookupError`] if the token was not looked up within the timeout, which begins at `received`.
    pub async fn look_up(
        &self,
        token: BearerToken,
        peer: Option<IpAddr>,
        received: Instant,
    ) -> Result<Verified, LookupError> {
        let looking_up = async {
            let permit = self.lookups.acquire(peer).await.ok_or(LookupError::TooMany)?;
            let service = self.service.clone();
            let lookup = async move {
                let verdict = service.verify(&token).await;
                if !matches!(verdict, Ok(Verdict::Unknown)) {
                    permit.found();
                }
                verdict
            };
            Ok(run_to_completion(lookup.in_current_span()).await)
        };
        timeout_at(received + self.timeout, looking_up).await.map_err(|_| LookupError::TimedOut(self.timeout))?
    }

    /// Returns a request for an operation of the API with the same authorization, so that an invalid token gets the
    /// API's own response.
    fn like_an_operation(&self, headers: &HeaderMap) -> Result<Request<()>, Refused> {
        let uri = format!("{}{}", self.service.base_path(), Operation::ListClients.endpoint().path);
        let mut like = Request::get(uri).body(()).map_err(|error| Box::new(internal_error(error)))?;
        for value in headers.get_all(AUTHORIZATION) {
            like.headers_mut().append(AUTHORIZATION, value.clone());
        }
        Ok(like)
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator").field("service", &self.service).finish_non_exhaustive()
    }
}

/// Returns a 500 with `Retry-After: 1`, whose cause appears only in the log.
///
/// ```
/// let (response, log) = leadapi_access::internal_error(std::io::Error::other("the disk is full"));
/// assert_eq!((response.status(), &response.headers()["retry-after"]), (http::StatusCode::INTERNAL_SERVER_ERROR, &"1".parse()?));
/// assert_eq!(log.cause.unwrap().to_string(), "the disk is full");
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn internal_error(cause: impl Error + Send + Sync + 'static) -> (Response<ResponseBody>, RequestLog) {
    let mut response = error_response(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
    response.headers_mut().insert(RETRY_AFTER, 1.into());
    let mut log = RequestLog::default();
    log.cause = Some(Arc::new(cause));
    (response, log)
}

/// Runs work as a task, so that it completes even if the client disconnects and the connection drops this future. If
/// the work panics, the panic continues in the caller.
pub async fn run_to_completion<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    match tokio::spawn(work).await.map_err(JoinError::try_into_panic) {
        Ok(response) => response,
        Err(Ok(panic)) => resume_unwind(panic),
        // The task is cancelled only when the runtime shuts down, which also cancels its caller.
        Err(Err(_)) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures_util::FutureExt;
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
}
