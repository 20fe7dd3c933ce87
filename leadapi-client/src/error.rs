//! Why a call failed, and what may have come of it.

use std::{error, fmt, time::Duration};

use http::StatusCode;
use leadapi_core::{http::Operation, model::IdempotencyKey};

use crate::{
    request::Refusal,
    retry::Failure,
    transport::{Delivery, TransportError},
};

/// What may have come of a call that failed: whether sending it again could do it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The service answered that it did not do it.
    Refused,
    /// It never left: it is not done.
    NotSent,
    /// It may be done, and it may not: the answer was lost, cannot be read, or says no more.
    Unknown,
}

/// Why a call failed.
///
/// Its text is one line: the operation, then what happened, in the service's own words where there are any. What comes
/// from an answer is shown without tokens, and no more of a foreign body than fits a log; what a transport of one's own
/// says of itself is shown as it is.
///
/// ```
/// use leadapi_client::{Client, Outcome, id::LeadId};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # fn main() { futures_executor::block_on(async {
/// # let client = in_process();
/// let error = client.leads().get(&LeadId::parse("nobody")?).await.unwrap_err();
/// assert!(error.is_not_found());
/// assert_eq!(error.to_string(), "GET /leads/{id}: 404 Not Found: id: no such lead");
/// assert_eq!(error.outcome(), Outcome::Refused);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    operation: Operation,
    cause: Cause,
    attempts: u32,
    elapsed: Duration,
    key: Option<IdempotencyKey>,
    /// An attempt before the last may have done it.
    in_doubt: bool,
}

/// Where it ended.
#[derive(Debug)]
pub(crate) enum Cause {
    /// Before it was sent.
    Refusal(Refusal),
    /// On the way.
    Transport(TransportError),
    /// With an answer that is not the operation's success.
    Answer(BadAnswer),
    /// Before it was sent: its turn would have come after this wait, and so too late. The service had refused others, or
    /// the client kept its own pace.
    Late { wait: Duration, refused: bool },
    /// With answers that do not fit together.
    Disordered(String),
}

/// An answer that is not the operation's success; its texts may be shown.
#[derive(Debug)]
pub(crate) struct BadAnswer {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) lacks_scope: bool,
    /// Why the body of a success could not be read.
    pub(crate) unreadable: Option<Unreadable>,
}

/// What is wrong with the body of a success, in a text that may be shown.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(pub(crate) String);

impl Error {
    pub(crate) fn new(operation: Operation, cause: Cause) -> Self {
        Self(Box::new(Inner { operation, cause, attempts: 0, elapsed: Duration::ZERO, key: None, in_doubt: false }))
    }

    /// The end of a call: what came before the last attempt belongs to it.
    pub(crate) fn after(
        mut self,
        attempts: u32,
        elapsed: Duration,
        key: Option<IdempotencyKey>,
        in_doubt: bool,
    ) -> Self {
        let Inner { operation, cause, .. } = *self.0;
        *self.0 = Inner { operation, cause, attempts, elapsed, key, in_doubt };
        self
    }

    /// As far as repeating the call goes.
    pub(crate) fn failure(&self) -> Failure {
        match &self.0.cause {
            Cause::Refusal(_) | Cause::Disordered(_) => Failure::Refused,
            Cause::Transport(error) if error.is_permanent() => Failure::Refused,
            Cause::Transport(error) => match error.delivery() {
                Delivery::NotSent => Failure::NotSent,
                Delivery::MaybeSent => Failure::Lost,
            },
            Cause::Answer(answer) => Failure::Status(answer.status),
            Cause::Late { .. } => Failure::NotSent,
        }
    }

    /// A word for each kind, for what counts errors.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.0.cause {
            Cause::Refusal(_) => "invalid",
            Cause::Transport(error) if error.is_timeout() => "timeout",
            Cause::Transport(error) if error.is_connect() => "connect",
            Cause::Transport(_) => "transport",
            Cause::Answer(answer) if answer.unreadable.is_some() => "unreadable",
            Cause::Answer(_) => "status",
            Cause::Late { .. } => "late",
            Cause::Disordered(_) => "disordered",
        }
    }

    /// The operation that failed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("{:?} failed", error.operation());
    /// # assert_eq!(error.operation(), leadapi_client::Operation::CreateLead);
    /// # });
    /// ```
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// The status of the answer, if there was one.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(403).await;
    /// let was_forbidden = error.status().is_some_and(|status| status == 403);
    /// # assert!(was_forbidden);
    /// # });
    /// ```
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// What is wrong: the service's own message, or the text that it would have answered to what was not sent; where
    /// there is neither, what else is known, such as the beginning of a proxy's page.
    ///
    /// In a text that came in an answer, control characters are replaced, and it is cut at 2,000 characters; what a
    /// transport says of its own failure is as the transport wrote it.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(400).await;
    /// assert_eq!(error.message(), "as the service said");
    /// # });
    /// ```
    pub fn message(&self) -> String {
        match &self.0.cause {
            Cause::Refusal(refusal) => refusal.to_string(),
            Cause::Transport(error) => error.to_string(),
            Cause::Answer(answer) => answer.message.clone(),
            Cause::Late { wait, refused } => {
                let limit = if *refused { "the service's rate limit" } else { "the client-side rate limit" };
                format!("timed out waiting for {limit}; the next turn is in {wait:?}")
            }
            Cause::Disordered(text) => text.clone(),
        }
    }

    /// The answer's `X-Request-Id`, by which the service's people find it in their logs.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("ask the service's people about request {:?}", error.request_id());
    /// # assert_eq!(error.request_id(), Some("0198-abc"));
    /// # });
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        self.answer()?.request_id.as_deref()
    }

    /// How long to wait before the next attempt, as far as it is known: what the answer asks for (`Retry-After`, read as
    /// a day at most, and not limited by [`ClientBuilder::max_retry_after`](crate::ClientBuilder::max_retry_after)), or, for a call that
    /// was not sent because its turn would have come too late, how long it would have waited for its turn.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(429).await;
    /// let wait = error.retry_after().unwrap_or_default();
    /// # assert_eq!(wait.as_secs(), 7);
    /// # });
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.0.cause {
            Cause::Late { wait, .. } => Some(*wait),
            _ => self.answer()?.retry_after,
        }
    }

    /// How many requests were sent, or tried to be.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(400).await;
    /// assert_eq!(error.attempts(), 1);
    /// # });
    /// ```
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// How long the call took, its waits included.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// println!("given up after {:?}", error.elapsed());
    /// # });
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// The key of a create, under which it can be asked for again: within 24 hours there is one lead of it, however often
    /// and by whomever it is sent (contract D10). None when the create broke a rule, so that it never went.
    ///
    /// ```
    /// use leadapi_client::{Client, Outcome, model::NewLead, transport::{Transport, TransportError}};
    /// # use bytes::Bytes;
    /// # use http::{Request, Response};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    /// # struct Unplugged;
    /// # #[async_trait::async_trait]
    /// # impl Transport for Unplugged {
    /// #     async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
    /// #         Err(TransportError::maybe_sent("unplugged"))
    /// #     }
    /// # }
    /// # futures_executor::block_on(async {
    /// # let retry = leadapi_client::RetryPolicy::none();
    /// # let client = Client::builder("http://nowhere", "pak_0").retry(retry).transport(Unplugged)?;
    /// # let new = NewLead::new(&casa_verde(), "Øyvind");
    /// let error = client.leads().create(&new).await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::Unknown);
    /// // Kept until tomorrow, and then sent again with `.idempotency_key(key)`.
    /// let parked = (new, error.idempotency_key().cloned());
    /// # assert!(parked.1.is_some());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.0.key.as_ref()
    }

    /// Whether the same call may end otherwise at another time: it was not sent, its answer was lost, the rate was used up
    /// or the service had failed. A create is then asked for again under the error's
    /// [`idempotency_key`](Self::idempotency_key).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// if error.is_retryable() {
    ///     println!("kept for later under {:?}", error.idempotency_key());
    /// }
    /// # assert!(error.is_retryable());
    /// # });
    /// ```
    pub fn is_retryable(&self) -> bool {
        self.failure().may_pass()
    }

    /// What may have come of the call, of all its attempts together.
    ///
    /// Statuses from 400 to 499 are refusals, but for 408: that one is about a request that got lost half-way. All
    /// others may come from something between us and the service, after the service has done its work. A refusal says
    /// nothing of an attempt before it whose answer was lost.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// use leadapi_client::Outcome;
    ///
    /// match error.outcome() {
    ///     Outcome::Refused | Outcome::NotSent => println!("there is no such lead now"),
    ///     _ => println!("there may be one: ask again under {:?}", error.idempotency_key()),
    /// }
    /// # assert_eq!(error.outcome(), Outcome::Unknown);
    /// # });
    /// ```
    pub fn outcome(&self) -> Outcome {
        if self.0.in_doubt {
            return Outcome::Unknown;
        }
        match &self.0.cause {
            Cause::Refusal(_) | Cause::Late { .. } => Outcome::NotSent,
            Cause::Disordered(_) => Outcome::Refused,
            Cause::Transport(error) => match error.delivery() {
                Delivery::NotSent => Outcome::NotSent,
                Delivery::MaybeSent => Outcome::Unknown,
            },
            Cause::Answer(BadAnswer { status, .. }) => {
                let refused = status.is_client_error() && *status != StatusCode::REQUEST_TIMEOUT;
                if refused { Outcome::Refused } else { Outcome::Unknown }
            }
        }
    }

    /// Whether what was asked for breaks a rule: status 400, or not sent for that reason. Mend it before trying again.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(400).await;
    /// if error.is_invalid() {
    ///     println!("to be mended: {}", error.message());
    /// }
    /// # assert!(error.is_invalid());
    /// # });
    /// ```
    pub fn is_invalid(&self) -> bool {
        matches!(self.0.cause, Cause::Refusal(_)) || self.has(StatusCode::BAD_REQUEST)
    }

    /// Whether the token is not good: status 401.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(401).await;
    /// if error.is_unauthorized() {
    ///     println!("the token has been revoked, or has expired");
    /// }
    /// # assert!(error.is_unauthorized());
    /// # });
    /// ```
    pub fn is_unauthorized(&self) -> bool {
        self.has(StatusCode::UNAUTHORIZED)
    }

    /// Whether the token lacks a scope, or the client account is not one of its business: status 403.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(403).await;
    /// if error.is_forbidden() {
    ///     println!("not with this token: {}", error.message());
    /// }
    /// # assert!(error.is_forbidden());
    /// # });
    /// ```
    pub fn is_forbidden(&self) -> bool {
        self.has(StatusCode::FORBIDDEN)
    }

    /// Whether the token lacks the scope that the operation needs: the one of both 403s that is about the token, and so
    /// meets every call of the operation.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(403).await;
    /// if error.lacks_scope() {
    ///     println!("this token may only read");
    /// }
    /// # assert!(!error.lacks_scope(), "a 403 without a challenge is about the client account");
    /// # });
    /// ```
    pub fn lacks_scope(&self) -> bool {
        self.is_forbidden() && self.answer().is_some_and(|answer| answer.lacks_scope)
    }

    /// Whether there is no such lead: status 404. A base URL that is not the API's has the same status, and another
    /// [`message`](Self::message).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(404).await;
    /// if error.is_not_found() {
    ///     println!("it has been deleted");
    /// }
    /// # assert!(error.is_not_found());
    /// # });
    /// ```
    pub fn is_not_found(&self) -> bool {
        self.has(StatusCode::NOT_FOUND)
    }

    /// Whether the token's requests are used up for now: status 429; [`retry_after`](Self::retry_after) says how long.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(429).await;
    /// if error.is_rate_limited() {
    ///     println!("again in {:?}", error.retry_after());
    /// }
    /// # assert!(error.is_rate_limited());
    /// # });
    /// ```
    pub fn is_rate_limited(&self) -> bool {
        matches!(self.0.cause, Cause::Late { refused: true, .. }) || self.has(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether the service, or something before it, failed: any status from 500 to 599.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(503).await;
    /// if error.is_server_error() {
    ///     println!("the service has trouble: {error}");
    /// }
    /// # assert!(error.is_server_error());
    /// # });
    /// ```
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Whether it took too long, be it to connect or to answer.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// if error.is_timeout() {
    ///     println!("too slow: {:?}", error.elapsed());
    /// }
    /// # assert!(!error.is_timeout());
    /// # });
    /// ```
    pub fn is_timeout(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(error) => error.is_timeout(),
            Cause::Late { refused, .. } => !refused,
            _ => false,
        }
    }

    /// Whether there was no connection.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let error = support::answered(500).await;
    /// if error.is_connect() {
    ///     println!("nobody listens there");
    /// }
    /// # assert!(!error.is_connect());
    /// # });
    /// ```
    pub fn is_connect(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_connect())
    }

    /// Whether a transport says that it will end the same another time.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_permanent())
    }

    fn has(&self, status: StatusCode) -> bool {
        self.status() == Some(status)
    }

    fn answer(&self) -> Option<&BadAnswer> {
        match &self.0.cause {
            Cause::Answer(answer) => Some(answer),
            Cause::Refusal(_) | Cause::Transport(_) | Cause::Late { .. } | Cause::Disordered(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = self.0.operation.endpoint();
        write!(f, "{} {}: ", endpoint.method, endpoint.path)?;
        match &self.0.cause {
            Cause::Refusal(refusal) => write!(f, "not sent: {refusal}"),
            Cause::Late { .. } => write!(f, "not sent: {}", self.message()),
            Cause::Disordered(text) => f.write_str(text),
            Cause::Transport(error) => error.fmt(f),
            Cause::Answer(BadAnswer { status, message, request_id, .. }) => {
                write!(f, "{status}: {message}")?;
                request_id.as_ref().map_or(Ok(()), |id| write!(f, " (request {id})"))
            }
        }?;
        if self.0.attempts > 1 { write!(f, " (attempt {})", self.0.attempts) } else { Ok(()) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { operation, cause, attempts, elapsed, key, in_doubt: _ } = &*self.0;
        f.debug_struct("Error")
            .field("operation", operation)
            .field("cause", cause)
            .field("outcome", &self.outcome())
            .field("attempts", attempts)
            .field("elapsed", elapsed)
            .field("idempotency_key", key)
            .finish()
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            // Their own texts are in ours already.
            Cause::Refusal(refusal) => refusal.source(),
            Cause::Transport(error) => error.source(),
            Cause::Answer(answer) => answer.unreadable.as_ref().map(|reason| reason as _),
            Cause::Late { .. } | Cause::Disordered(_) => None,
        }
    }
}
