//! The error that a failed call returns, and the call's outcome.

mod cause;
mod details;
mod outcome;
mod predicates;

use std::{error, fmt, time::Duration};

use leadapi_model::{http::Operation, model::IdempotencyKey};

pub(crate) use self::cause::{Cause, ErrorResponse, InvalidBody, NotFound};
pub use self::outcome::Outcome;

/// The error that a failed call returns.
///
/// The `Display` output is one line that names the operation and the failure, and includes the service's error message,
/// if any. In text from a response, tokens are masked and long text is truncated. A custom transport's message is shown
/// unchanged.
///
/// ```
/// use leadapi_client::{Client, Outcome, id::LeadId};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # support::run(async |client| {
/// let error = client.leads().get(&LeadId::parse("nobody")?).await.unwrap_err();
/// assert!(error.is_not_found());
/// assert_eq!(error.to_string(), "GET /leads/{id}: 404 Not Found: id: no such lead");
/// assert_eq!(error.outcome(), Outcome::Refused);
/// # Ok(()) });
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    operation: Operation,
    cause: Cause,
    attempts: u32,
    elapsed: Duration,
    key: Option<IdempotencyKey>,
    /// Whether the service may have executed a failed attempt. This field is always false for reads.
    in_doubt: bool,
}

impl Error {
    pub(crate) fn new(operation: Operation, cause: Cause) -> Self {
        Self(Box::new(Inner { operation, cause, attempts: 0, elapsed: Duration::ZERO, key: None, in_doubt: false }))
    }

    /// Adds the details of the whole call.
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

    /// Returns a short label for the kind of error. The call's span records it as `error.type`.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.0.cause {
            Cause::InvalidRequest(_) => "invalid",
            Cause::Transport(error) if error.is_timeout() => "timeout",
            Cause::Transport(error) if error.is_connect() => "connect",
            Cause::Transport(_) => "transport",
            Cause::Response(response) if response.invalid_body.is_some() => "unreadable",
            Cause::Response(ErrorResponse { not_found: Some(NotFound::Operation(_)), .. }) => "configuration",
            Cause::Response(_) => "status",
            Cause::DeadlineExceeded { .. } => "deadline",
            Cause::InconsistentList(_) => "inconsistent_list",
        }
    }

    fn response(&self) -> Option<&ErrorResponse> {
        match &self.0.cause {
            Cause::Response(response) => Some(response),
            Cause::InvalidRequest(_)
            | Cause::Transport(_)
            | Cause::DeadlineExceeded { .. }
            | Cause::InconsistentList(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = self.0.operation.endpoint();
        write!(f, "{} {}: ", endpoint.method, endpoint.path)?;
        match &self.0.cause {
            Cause::InvalidRequest(refusal) => write!(f, "not sent: {refusal}"),
            Cause::DeadlineExceeded { .. } => write!(f, "not sent: {}", self.message()),
            Cause::InconsistentList(text) => f.write_str(text),
            Cause::Transport(error) => error.fmt(f),
            Cause::Response(ErrorResponse { status, message, request_id, not_found, retry_after, .. }) => {
                write!(f, "{status}: {message}")?;
                if let Some(NotFound::Operation(url)) = not_found {
                    write!(f, " (the base URL may be wrong: there is no such operation at {url})")?;
                }
                if let Some(wait) = retry_after.filter(|_| self.is_rate_limited()) {
                    write!(f, " (retry after {} s)", wait.as_secs())?;
                }
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
            // `Display` already includes the messages of these errors, so skip to their sources.
            Cause::InvalidRequest(refusal) => refusal.source(),
            Cause::Transport(error) => error.source(),
            Cause::Response(response) => response.invalid_body.as_ref().map(|reason| reason as _),
            Cause::DeadlineExceeded { .. } | Cause::InconsistentList(_) => None,
        }
    }
}
