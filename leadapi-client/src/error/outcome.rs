//! The outcome of a failed call, and whether a retry may succeed.

use http::StatusCode;

use super::{Cause, Error, ErrorResponse};
use crate::{retry::Failure, transport::Delivery};

/// The outcome of a failed call: whether the service may have executed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The service rejected the call, or a pager received inconsistent pages.
    Refused,
    /// The client did not send the call.
    NotSent,
    /// The service may or may not have executed the call: the response was lost, invalid or inconclusive.
    Unknown,
}

impl Error {
    /// Classifies the error for the retry policy.
    pub(crate) fn failure(&self) -> Failure {
        match &self.0.cause {
            Cause::InvalidRequest(_) | Cause::InconsistentList(_) => Failure::Final,
            Cause::Transport(error) if error.is_permanent() => Failure::Final,
            Cause::Transport(error) => match error.delivery() {
                Delivery::NotSent => Failure::NotSent,
                Delivery::MaybeSent => Failure::Lost,
            },
            Cause::Response(response) => Failure::Status(response.status),
            Cause::DeadlineExceeded { .. } => Failure::NotSent,
        }
    }

    /// Returns the outcome of the call across all its attempts.
    ///
    /// Statuses from 400 to 499, except 408 (request timeout), mean that the service rejected the request. With any
    /// other status, the service may have executed it, for example before a proxy failed. If an earlier attempt of a
    /// write may have been executed, the outcome remains unknown, even if the service rejects a later attempt.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// use leadapi_client::Outcome;
    ///
    /// match error.outcome() {
    ///     Outcome::Refused | Outcome::NotSent => println!("no lead was created"),
    ///     _ => println!("a lead may exist: retry under {:?}", error.idempotency_key()),
    /// }
    /// # assert_eq!(error.outcome(), Outcome::Unknown);
    /// ```
    pub fn outcome(&self) -> Outcome {
        if self.0.in_doubt {
            return Outcome::Unknown;
        }
        match &self.0.cause {
            Cause::InvalidRequest(_) | Cause::DeadlineExceeded { .. } => Outcome::NotSent,
            Cause::InconsistentList(_) => Outcome::Refused,
            Cause::Transport(error) => match error.delivery() {
                Delivery::NotSent => Outcome::NotSent,
                Delivery::MaybeSent => Outcome::Unknown,
            },
            Cause::Response(ErrorResponse { status, .. }) => {
                let refused = status.is_client_error() && *status != StatusCode::REQUEST_TIMEOUT;
                if refused { Outcome::Refused } else { Outcome::Unknown }
            }
        }
    }

    /// Returns whether a later retry may succeed. This is the case if the request was not sent, its response was lost,
    /// the rate limit was exceeded, or the service failed. Retry a create with the error's
    /// [`idempotency_key`](Self::idempotency_key).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// if error.is_retryable() {
    ///     println!("retry later under {:?}", error.idempotency_key());
    /// }
    /// # assert!(error.is_retryable());
    /// ```
    pub fn is_retryable(&self) -> bool {
        self.failure().is_transient()
    }

    /// Returns whether the transport reports that a retry would fail in the same way.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_permanent())
    }
}
