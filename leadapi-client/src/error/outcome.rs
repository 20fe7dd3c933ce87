//! The outcome of a failed call, and whether to retry it.

use http::StatusCode;

use super::{BadAnswer, Cause, Error};
use crate::{retry::Failure, transport::Delivery};

/// The outcome of a failed call: whether the service may have executed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The service refused it.
    Refused,
    /// The client did not send it.
    NotSent,
    /// The service may or may not have executed it: the response was lost, is unreadable, or does not say.
    Unknown,
}

impl Error {
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

    /// Returns the outcome of the call over all its attempts.
    ///
    /// Statuses from 400 to 499 are refusals, except 408, which is about a request that was lost on the way. Others may
    /// come from a proxy after the service has executed the request. A refusal says nothing about an earlier attempt
    /// whose response was lost.
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

    /// Returns whether a later retry may succeed: the request was not sent, its response was lost, the rate limit was
    /// exceeded, or the service failed. Retry a create with the error's [`idempotency_key`](Self::idempotency_key).
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

    /// Returns whether the transport reports that a retry would fail in the same way.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_permanent())
    }
}
