//! In-flight requests, their limits, and the guard that marks a request as in flight.

mod permit_body;
mod token_limit;

use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

use http::HeaderMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::{
    sync::PollSemaphore,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

pub(crate) use self::permit_body::PermitBody;
use self::token_limit::{TokenLimit, TokenPermit};
use crate::limits::HttpLimits;

/// The in-flight requests across all connections.
#[derive(Clone)]
pub(crate) struct RequestsInFlight {
    permits: Arc<Semaphore>,
    limit: usize,
    by_token: TokenLimit,
    tracker: TaskTracker,
}

/// A guard for an in-flight request. Until the guard is dropped, the request counts towards the metric and the limit of
/// its token, and graceful shutdown waits for it. It also counts towards the limit of the server, except while it waits
/// for its body.
pub(crate) struct InFlight {
    /// `None` while the request waits for its body.
    permit: Option<OwnedSemaphorePermit>,
    permits: PollSemaphore,
    _token: Option<TokenPermit>,
    _tracked: TaskTrackerToken,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Overloaded {
    #[error("too many in-flight requests (limit {0})")]
    Server(usize),
    #[error("too many in-flight requests for the token (limit {0})")]
    Token(usize),
}

impl RequestsInFlight {
    pub(crate) fn new(limits: &HttpLimits, tracker: TaskTracker) -> Self {
        let (by_token, limit) = (TokenLimit::new(limits.token_requests), limits.requests.min(Semaphore::MAX_PERMITS));
        Self { permits: Arc::new(Semaphore::new(limit)), limit, by_token, tracker }
    }

    /// Admits a request if the limits allow it. The headers determine the token.
    pub(crate) fn begin(&self, headers: &HeaderMap) -> Result<InFlight, Overloaded> {
        let token = self.by_token.acquire(headers).map_err(|_| Overloaded::Token(self.by_token.limit()))?;
        let permit = self.permits.clone().try_acquire_owned().map_err(|_| Overloaded::Server(self.limit))?;
        let permits = PollSemaphore::new(self.permits.clone());
        Ok(InFlight { permit: Some(permit), permits, _token: token, _tracked: self.tracker.token() })
    }

    pub(crate) fn count(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until no request is in flight.
    pub(crate) async fn drained(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}

impl InFlight {
    /// Releases the concurrency permit while the request waits for its body, so that slow uploads cannot exhaust the
    /// limit.
    fn release_permit(&mut self) {
        self.permit = None;
    }

    /// Polls for a new concurrency permit if the previous one was released.
    fn poll_permit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.permit.is_none() {
            // The semaphore is never closed.
            self.permit = ready!(self.permits.poll_acquire(cx));
        }
        Poll::Ready(())
    }
}
