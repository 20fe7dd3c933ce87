//! From a call to its answer: as many attempts as it takes, each when its turn has come.

use std::{num::NonZeroU32, time::Duration};

use bytes::Bytes;
use http::{Response, StatusCode};
use leadapi_core::{auth::Scope, http::Operation};
use tracing::{Instrument, Span, debug, field};

use crate::{
    answer::Answer,
    error::{Cause, Error, Outcome},
    meta::Meta,
    rate_limit::{Acquire, Permit, RateLimiter, Ticket},
    request::Prepared,
    retry::{COST, COST_AFTER_TIMEOUT, Next, REWARD, full_jitter},
    shared::{Options, Shared, Wait, WaitReason},
    timer::within,
    transport::{Delivery, SendProgress, TransportError},
};

/// What the service refuses before it counts (contract D9).
const NOT_COUNTED: [StatusCode; 3] =
    [StatusCode::UNAUTHORIZED, StatusCode::METHOD_NOT_ALLOWED, StatusCode::TOO_MANY_REQUESTS];

/// After a refusal for the rate that does not say for how long.
const LEAST_WAIT_FOR_THE_RATE: Duration = Duration::from_secs(1);

/// Reads what an answer says.
pub(crate) type Read<T> = fn(&Answer<'_>) -> Result<T, Error>;

/// One call on its way.
pub(crate) struct Attempts<'a> {
    shared: &'a Shared,
    prepared: &'a Prepared,
    options: Options,
    begun: Duration,
    /// Attempts that were made, and those of them that have failed: a refusal for the rate is not a failure.
    made: u32,
    failed: u32,
    /// Whether an attempt may have done it whose answer was lost.
    in_doubt: bool,
    /// What the last repetition took out of the budget.
    spent: f64,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(shared: &'a Shared, prepared: &'a Prepared, options: Options) -> Self {
        let begun = shared.timer.now();
        Self { shared, prepared, options, begun, made: 0, failed: 0, in_doubt: false, spent: 0.0 }
    }

    /// Makes the call, in a span that says what becomes of it; it names neither the token nor anybody's data.
    pub(crate) async fn run<T>(self, read: Read<T>) -> Result<(T, Meta), Error> {
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
        let result = self.until_done(read).instrument(span.clone()).await;
        record(&span, &result);
        result
    }

    async fn until_done<T>(mut self, read: Read<T>) -> Result<(T, Meta), Error> {
        let mut last = None;
        let error = loop {
            let permit = match self.acquire_permit().await {
                Ok(_) if self.left() == Some(Duration::ZERO) => {
                    break last.unwrap_or_else(|| self.late(Duration::ZERO, false));
                }
                Ok(permit) => permit,
                // What was answered before says more than that there is no time left.
                Err(late) => break last.unwrap_or(late),
            };
            let error = match self.attempt(permit, read).await {
                Ok(done) => {
                    self.shared.budget.put(if self.failed == 0 { REWARD } else { self.spent });
                    return Ok(done);
                }
                Err(error) => error,
            };
            if !self.prepare_the_next(&error).await {
                break error;
            }
            last = Some(error);
        };
        Err(error.after(self.made, self.elapsed(), self.prepared.key.clone(), self.in_doubt))
    }

    /// Waits as long as it takes until there may be another attempt; says whether there may.
    async fn prepare_the_next(&mut self, error: &Error) -> bool {
        let retry_after = error.retry_after().unwrap_or_default();
        let too_long = retry_after > self.options.max_retry_after;
        if error.is_rate_limited() {
            // A value above the ceiling holds back no other call: one absurd answer would stop the whole client.
            let wait = if too_long { Duration::ZERO } else { retry_after };
            // The service is never asked again at once, even if it says so or says nothing.
            let wait = wait.max(LEAST_WAIT_FOR_THE_RATE);
            self.shared.rate_limiters.of(self.prepared.operation).pause_until(self.shared.timer.now() + wait);
        }
        if too_long {
            return false;
        }
        match self.options.retry.next(self.prepared.is_repeatable(), error.failure(), self.failed.max(1)) {
            Next::Stop => false,
            Next::AfterTheRate => true,
            Next::Within(ceiling) => {
                // Never sooner than asked for, and not all at once then.
                let wait = retry_after + full_jitter(ceiling);
                if self.left().is_some_and(|left| left <= wait) {
                    return false;
                }
                let cost = if error.is_timeout() { COST_AFTER_TIMEOUT } else { COST };
                if !self.shared.budget.affords(cost, self.shared.timer.now()) {
                    return false;
                }
                self.wait(wait, WaitReason::Backoff).await;
                // Taken only now, so that a call that is dropped while it waits has cost nothing.
                self.spent = cost;
                self.shared.budget.take(cost, self.shared.timer.now())
            }
        }
    }

    /// One request and its answer. Dropped anywhere, it leaves nothing half done but what the service does with it.
    async fn attempt<T>(&mut self, mut permit: Permit<'a>, read: Read<T>) -> Result<(T, Meta), Error> {
        let Shared { origin, transport, timer, .. } = self.shared;
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
        let answered = match limit {
            Some(limit) => {
                within(&**timer, limit, sending).await.unwrap_or_else(|| Err(too_long(limit, progress.delivery())))
            }
            None => sending.await,
        };
        let counted = match &answered {
            Err(error) => error.delivery() != Delivery::NotSent,
            Ok(response) => !NOT_COUNTED.contains(&response.status()),
        };
        if counted {
            progress.mark_sent();
        } else {
            permit.mark_uncounted();
        }
        drop(permit);
        let result = answered.map_err(failed).and_then(|response| self.read(response, read));
        if let Err(error) = &result {
            self.failed = self.failed.saturating_add(u32::from(!error.is_rate_limited()));
            // A read changes nothing, so nothing of it is in doubt.
            let writes = operation.endpoint().scope == Scope::Write;
            self.in_doubt |= writes && error.outcome() == Outcome::Unknown;
        }
        result
    }

    fn read<T>(&self, response: Response<Bytes>, read: Read<T>) -> Result<(T, Meta), Error> {
        let answer = Answer::new(self.prepared.operation, &response, &self.shared.origin.token);
        // What was deleted by an attempt whose answer was lost is not there for the next one.
        let gone = self.in_doubt && self.prepared.operation == Operation::DeleteLead && answer.says_not_found();
        if !gone {
            answer.is_success()?;
        }
        let done = read(&answer)?;
        let (elapsed, attempts) = (self.elapsed(), NonZeroU32::new(self.made).unwrap_or(NonZeroU32::MIN));
        let (head, body) = response.into_parts();
        Ok((done, Meta { status: head.status, headers: head.headers, attempts, elapsed, body }))
    }

    /// Waits for a permit, behind the calls that have waited longer.
    async fn acquire_permit(&self) -> Result<Permit<'a>, Error> {
        let timer = &*self.shared.timer;
        let limiter: &'a RateLimiter = self.shared.rate_limiters.of(self.prepared.operation);
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
                        return Err(self.late(wait, refused));
                    }
                    let ticket = ticket.get_or_insert_with(|| limiter.enqueue());
                    let reason = if refused { WaitReason::RateLimited } else { WaitReason::Pacing };
                    self.tell(wait, reason);
                    within(timer, wait, ticket.notified()).await;
                }
            }
        }
    }

    /// Its turn comes after the end of the call's time: because the service has refused others, or because of the client's
    /// own pace.
    fn late(&self, wait: Duration, refused: bool) -> Error {
        Error::new(self.prepared.operation, Cause::Late { wait, refused })
    }

    async fn wait(&self, duration: Duration, reason: WaitReason) {
        self.tell(duration, reason);
        self.shared.timer.sleep(duration).await;
    }

    fn tell(&self, duration: Duration, reason: WaitReason) {
        let wait = Wait { operation: self.prepared.operation, reason, duration, failed_attempts: self.failed };
        debug!(reason = ?reason, duration_ms = %duration.as_millis(), failed_attempts = self.failed, "waiting");
        if let Some(on_wait) = &self.shared.on_wait {
            on_wait(&wait);
        }
    }

    fn elapsed(&self) -> Duration {
        self.shared.timer.now().saturating_sub(self.begun)
    }

    /// What is left of the call's time.
    fn left(&self) -> Option<Duration> {
        self.options.timeout.map(|timeout| timeout.saturating_sub(self.elapsed()))
    }
}

fn too_long(limit: Duration, delivery: Delivery) -> TransportError {
    match delivery {
        Delivery::NotSent => TransportError::not_sent(format!("not connected within {limit:?}")).while_connecting(),
        Delivery::MaybeSent => TransportError::maybe_sent(format!("no complete response within {limit:?}")),
    }
    .timed_out()
}

fn record<T>(span: &Span, result: &Result<(T, Meta), Error>) {
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
