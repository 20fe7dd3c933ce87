//! The reason why a call failed, with its details. [`Error`](super::Error) provides public accessors.

use std::time::Duration;

use http::StatusCode;

use crate::{request::InvalidRequest, transport::TransportError};

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The request is invalid, so it was not sent.
    InvalidRequest(InvalidRequest),
    /// The transport returned an error instead of a response.
    Transport(TransportError),
    /// The response is not a valid success response for the operation.
    Response(ErrorResponse),
    /// The request was not sent, because the wait for the rate limit would have exceeded the call's timeout. `refused`
    /// is true if the service imposed the wait with a 429, and false if the client's own rate limiter did.
    DeadlineExceeded { wait: Duration, refused: bool },
    /// The pages that a pager received do not form a list in the contract's order, or the list changes too fast.
    InconsistentList(String),
}

/// A response that is not a valid success response for the operation. Its strings are sanitized.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) lacks_scope: bool,
    pub(crate) not_found: Option<NotFound>,
    /// The reason why the body of a success response could not be read.
    pub(crate) invalid_body: Option<InvalidBody>,
}

/// Whether the response says that the lead or that the operation does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// The service has no such lead.
    Lead,
    /// The service does not handle the operation at this URL, so the base URL is probably wrong.
    Operation(String),
}

/// The reason why the body of a success response is invalid, as sanitized text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidBody(pub(crate) String);
