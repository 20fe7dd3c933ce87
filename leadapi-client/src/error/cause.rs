//! The internal cause of a failed call.

use std::time::Duration;

use http::StatusCode;

use crate::{request::InvalidRequest, transport::TransportError};

/// Where a call failed.
#[derive(Debug)]
pub(crate) enum Cause {
    /// Before the request was sent.
    InvalidRequest(InvalidRequest),
    /// In the transport.
    Transport(TransportError),
    /// With a response other than the success of the operation.
    Response(ErrorResponse),
    /// Before the request was sent: the rate limit, the client's own or the service's, would have delayed it by this
    /// much, beyond its timeout.
    DeadlineExceeded { wait: Duration, refused: bool },
    /// With responses that contradict each other.
    InconsistentList(String),
}

/// A response other than the success of the operation. Its texts are sanitized.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) lacks_scope: bool,
    /// Why the body of a success could not be read.
    pub(crate) invalid_body: Option<InvalidBody>,
}

/// Why the body of a success is invalid, as sanitized text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidBody(pub(crate) String);
