//! Where a call ended, as it is known inside the client.

use std::time::Duration;

use http::StatusCode;

use crate::{request::Refusal, transport::TransportError};

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
