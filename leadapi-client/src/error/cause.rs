//! The internal cause of a failed call.

use std::time::Duration;

use http::StatusCode;

use crate::{request::Refusal, transport::TransportError};

/// Where a call failed.
#[derive(Debug)]
pub(crate) enum Cause {
    /// Before the request was sent.
    Refusal(Refusal),
    /// In the transport.
    Transport(TransportError),
    /// With a response other than the success of the operation.
    Answer(BadAnswer),
    /// Before the request was sent: the rate limit, the client's own or the service's, would have delayed it by this
    /// much, beyond its timeout.
    Late { wait: Duration, refused: bool },
    /// With responses that contradict each other.
    Disordered(String),
}

/// A response other than the success of the operation. Its texts are sanitized.
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

/// Why the body of a success is invalid, as sanitized text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(pub(crate) String);
