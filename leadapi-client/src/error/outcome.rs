//! What may have come of a call that failed, and whether to repeat it.

use http::StatusCode;

use super::{BadAnswer, Cause, Error};
use crate::{retry::Failure, transport::Delivery};

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

    /// Whether a transport says that it will end the same another time.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_permanent())
    }
}
