//! Runs the attempts of a call: waits for the rate limit, sends requests, and decides whether to retry.

use std::{num::NonZeroU32, time::Duration};

use bytes::Bytes;
use http::{Response, StatusCode};
use leadapi_model::{auth::Scope, http::Operation};
use tracing::{Instrument, Span, debug, field};

use crate::{
    context::{CallOptions, ClientContext, Wait, WaitReason},
    error::{Cause, Error, NotFound, Outcome},
    rate_limit::{Acquire, Permit, RateLimiter, Ticket},
    request::Prepared,
    response::ApiResponse,
    response_meta::ResponseMeta,
    retry::{COST, COST_AFTER_TIMEOUT, REWARD, RetryDecision, full_jitter},
    timer::within,
    transport::{Delivery, SendProgress, TransportError},
};

/// Requests answered with one of these statuses do not count towards the rate limit (contract D9).
const NOT_COUNTED: [StatusCode; 3] =
    [StatusCode::UNAUTHORIZED, StatusCode::METHOD_NOT_ALLOWED, StatusCode::TOO_MANY_REQUESTS];

/// The minimum wait after a 429.
const MIN_RATE_LIMIT_WAIT: Duration = Duration::from_secs(1);

/// A function that parses the result of an operation from its success response.
pub(crate) type Read<T> = fn(&ApiResponse<'_>) -> Result<T, Error>;

/// The state of a call in progress.
pub(crate) struct Attempts<'a> {
    context: &'a ClientContext,
    prepared: &'a Prepared,
    options: CallOptions,
    started_at: Duration,
    /// The number of attempts made so far.
    made: u32,
    /// The number of attempts that failed. A 429 does not count as a failure.
    failed: u32,
    /// Whether the service may have executed a failed attempt. This field is always false for reads.
    in_doubt: bool,
    /// The number of tokens that the last retry withdrew from the retry budget.
    spent: f64,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(context: &'a ClientContext, prepared: &'a Prepared, options: CallOptions) -> Self {
        let started_at = context.timer.now();
        Self { context, prepared, options, started_at, made: 0, failed: 0, in_doubt: false, spent: 0.0 }
    }

    /// Makes the call in a span that records the result, but neither the token nor personal data.
    pub(crate) async fn run<T>(self, read: Read<T>) -> Result<(T, ResponseMeta), Error> {
        let endpoint = self.prepared.operation.endpoint();
        let span = tracing::debug_span!(
            "leadapi.call",
            "http.request.method" = %endpoint.method,
            "url.template" = endpoint.path,
            "http.response.status_code" = field::Empty,
            "http.request.resend_count" = field::Empty,
            "leadapi.request_id" = field::Empty,
            "error.type" = field::Empty,
        );
        let result = self.run_attempts(read).instrument(span.clone()).await;
        record(&span, &result);
        result
    }

    async fn run_attempts<T>(mut self, read: Read<T>) -> Result<(T, ResponseMeta), Error> {
        let mut last = None;
        let error = loop {
            let permit = match self.acquire_permit().await {
                Ok(_) if self.left() == Some(Duration::ZERO) => {
                    break last.unwrap_or_else(|| self.deadline_exceeded(Duration::ZERO, false));
                }
                Ok(permit) => permit,
                // The error from the last attempt is more useful than a timeout error.
                Err(timeout) => break last.unwrap_or(timeout),
            };
            let error = match self.attempt(permit, read).await {
                Ok(done) => {
                    self.context.budget.deposit(if self.failed == 0 { REWARD } else { self.spent });
                    return Ok(done);
                }
                Err(error) => error,
            };
            if !self.wait_for_retry(&error).await {
                break error;
            }
            last = Some(error);
        };
        Err(error.after(self.made, self.elapsed(), self.prepared.key.clone(), self.in_doubt))
    }

    /// Waits before the next attempt. After a 429, only pauses the rate limiter. The next attempt then waits for its
    /// permit. Returns `false` if the call must give up.
    async fn wait_for_retry(&mut self, error: &Error) -> bool {
        let retry_after = error.retry_after().unwrap_or_default();
        let too_long = retry_after > self.options.max_retry_after;
        if error.is_rate_limited() {
            // Other calls must not wait for a `Retry-After` above the maximum, or a single absurd response would stall
            // all calls of the same class.
            let wait = if too_long { Duration::ZERO } else { retry_after };
            // Never retry immediately, even if `Retry-After` is 0 or missing.
            let wait = wait.max(MIN_RATE_LIMIT_WAIT);
            self.context.rate_limiters.of(self.prepared.operation).pause_until(self.context.timer.now() + wait);
        }
        if too_long {
            return false;
        }
        match self.options.retry.decide(self.prepared.is_idempotent(), error.failure(), self.failed.max(1)) {
            RetryDecision::GiveUp => false,
            RetryDecision::AfterRateLimit => true,
            RetryDecision::Backoff(max) => {
                // Add the jitter to `Retry-After`, so that no retry comes before the time that the service requested.
                let wait = retry_after + full_jitter(max);
                if self.left().is_some_and(|left| left <= wait) {
                    return false;
                }
                let cost = if error.is_timeout() { COST_AFTER_TIMEOUT } else { COST };
                if !self.context.budget.can_afford(cost, self.context.timer.now()) {
                    return false;
                }
                self.wait(wait, WaitReason::Backoff).await;
                // Withdraw only after the wait, so that a call dropped during the wait costs nothing.
                self.spent = cost;
                self.context.budget.withdraw(cost, self.context.timer.now())
            }
        }
    }

    /// Sends one request and reads its response. Dropping the future is safe at any time: the request then counts
    /// towards the rate limit only if it may have been sent.
    async fn attempt<T>(&mut self, mut permit: Permit<'a>, read: Read<T>) -> Result<(T, ResponseMeta), Error> {
        let ClientContext { origin, transport, timer, .. } = self.context;
        let operation = self.prepared.operation;
        let failed = |error| Error::new(operation, Cause::Transport(error));
        let mut request =
            self.prepared.request(origin).map_err(|error| failed(TransportError::not_sent(error).permanent()))?;
        let progress = SendProgress::default();
        request.extensions_mut().insert(progress.clone());
        self.made = self.made.saturating_add(1);
        permit.start_sending(progress.clone());
        let limit = [self.options.attempt_timeout, self.left()].into_iter().flatten().min();
        let sending = transport.send(request);
        let sent = match limit {
            Some(limit) => {
                within(&**timer, limit, sending).await.unwrap_or_else(|| Err(timed_out(limit, progress.delivery())))
            }
            None => sending.await,
        };
        let counted = match &sent {
            Err(error) => error.delivery() != Delivery::NotSent,
            Ok(response) => !NOT_COUNTED.contains(&response.status()),
        };
        if counted {
            progress.mark_sent();
        } else {
            permit.mark_uncounted();
        }
        drop(permit);
        let result = sent.map_err(failed).and_then(|response| self.read(response, read));
        if let Err(error) = &result {
            self.failed = self.failed.saturating_add(u32::from(!error.is_rate_limited()));
            // A read has no side effects, so its earlier attempts do not affect the call's outcome.
            let writes = operation.endpoint().scope == Scope::Write;
            self.in_doubt |= writes && error.outcome() == Outcome::Unknown;
        }
        result
    }

    fn read<T>(&self, response: Response<Bytes>, read: Read<T>) -> Result<(T, ResponseMeta), Error> {
        let api_response = ApiResponse::new(self.prepared.operation, &response, &self.context.origin);
        // An earlier attempt may have deleted the lead, so a 404 counts as a success.
        let may_be_deleted = self.in_doubt && self.prepared.operation == Operation::DeleteLead;
        if !(may_be_deleted && api_response.not_found() == Some(NotFound::Lead)) {
            api_response.check_status()?;
        }
        let done = read(&api_response)?;
        let (elapsed, attempts) = (self.elapsed(), NonZeroU32::new(self.made).unwrap_or(NonZeroU32::MIN));
        let (head, body) = response.into_parts();
        Ok((done, ResponseMeta { status: head.status, headers: head.headers, attempts, elapsed, body }))
    }

    /// Queues behind the calls that arrived earlier, and waits for a permit.
    async fn acquire_permit(&self) -> Result<Permit<'a>, Error> {
        let timer = &*self.context.timer;
        let limiter: &'a RateLimiter = self.context.rate_limiters.of(self.prepared.operation);
        let mut ticket: Option<Ticket<'a>> = None;
        loop {
            match limiter.try_acquire(timer, ticket.as_ref()) {
                Acquire::Granted(permit) => {
                    ticket.into_iter().for_each(Ticket::redeem);
                    return Ok(permit);
                }
                Acquire::Wait { until, refused } => {
                    let wait = until.saturating_sub(timer.now());
                    if self.left().is_some_and(|left| left <= wait) {
                        return Err(self.deadline_exceeded(wait, refused));
                    }
                    let ticket = ticket.get_or_insert_with(|| limiter.enqueue());
                    let reason = if refused { WaitReason::RateLimited } else { WaitReason::Pacing };
                    self.report_wait(wait, reason);
                    within(timer, wait, ticket.notified()).await;
                }
            }
        }
    }

    /// Creates the error for a rate-limit wait that would outlast the call's timeout. `refused` is true if the service
    /// imposed the wait with a 429, and false if the client's own rate limiter did.
    fn deadline_exceeded(&self, wait: Duration, refused: bool) -> Error {
        Error::new(self.prepared.operation, Cause::DeadlineExceeded { wait, refused })
    }

    async fn wait(&self, duration: Duration, reason: WaitReason) {
        self.report_wait(duration, reason);
        self.context.timer.sleep(duration).await;
    }

    fn report_wait(&self, duration: Duration, reason: WaitReason) {
        let wait = Wait { operation: self.prepared.operation, reason, duration, failed_attempts: self.failed };
        debug!(reason = ?reason, duration_ms = %duration.as_millis(), failed_attempts = self.failed, "waiting");
        if let Some(on_wait) = &self.context.on_wait {
            on_wait(&wait);
        }
    }

    fn elapsed(&self) -> Duration {
        self.context.timer.now().saturating_sub(self.started_at)
    }

    /// Returns the time left before the call times out, or `None` if it has no timeout.
    fn left(&self) -> Option<Duration> {
        self.options.timeout.map(|timeout| timeout.saturating_sub(self.elapsed()))
    }
}

fn timed_out(limit: Duration, delivery: Delivery) -> TransportError {
    match delivery {
        Delivery::NotSent => TransportError::not_sent(format!("not connected within {limit:?}")).while_connecting(),
        Delivery::MaybeSent => TransportError::maybe_sent(format!("no complete response within {limit:?}")),
    }
    .timed_out()
}

fn record<T>(span: &Span, result: &Result<(T, ResponseMeta), Error>) {
    match result {
        Ok((_, meta)) => {
            span.record("http.response.status_code", meta.status.as_u16());
            span.record("http.request.resend_count", meta.attempts.get() - 1);
            span.record("leadapi.request_id", meta.request_id());
        }
        Err(error) => {
            span.record("http.response.status_code", error.status().map(|status| status.as_u16()));
            span.record("http.request.resend_count", error.attempts().saturating_sub(1));
            span.record("leadapi.request_id", error.request_id());
            span.record("error.type", error.kind());
        }
    }
}
