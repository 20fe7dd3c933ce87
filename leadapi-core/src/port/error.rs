//! The error type of the stores.

use crate::BoxError;

/// The error of a failed call to a [`Store`](super::Store), a [`TokenStore`](super::TokenStore) or a
/// [`SettingsStore`](super::SettingsStore).
///
/// The service responds with 401 to [`Unauthorized`](Self::Unauthorized), and to every other variant with 500 and
/// `internal error` (contract D2). The error of a 500 becomes the [`cause`](crate::http::RequestLog::cause) in the
/// request log, where a host can inspect it, for example to raise an alert.
///
/// ```
/// use leadapi_core::{http::RequestLog, port::StoreError};
///
/// fn needs_a_look(log: &RequestLog) -> bool {
///     let cause = log.cause.as_ref().and_then(|cause| cause.downcast_ref());
///     matches!(cause, Some(StoreError::UnknownOutcome(_)))
/// }
/// # assert!(!needs_a_look(&RequestLog::default()));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A record with this id, or a token with this hash, already exists. Nothing was written.
    #[error("a record with this id already exists")]
    AlreadyExists(#[source] BoxError),
    /// The store is unreachable, or another transaction interfered. Nothing was written, and a retry may succeed.
    #[error("the store is unavailable")]
    Unavailable(#[source] BoxError),
    /// The connection was lost during a commit. The write may or may not have taken effect, so a retry could apply it
    /// twice.
    #[error("the outcome of a write is unknown")]
    UnknownOutcome(#[source] BoxError),
    /// The token of the write is no longer valid. Nothing was written.
    #[error("the token of the write is no longer valid")]
    Unauthorized(#[source] InvalidToken),
    /// Any other storage failure. Its message is the message of the underlying error.
    #[error(transparent)]
    Backend(BoxError),
}

impl StoreError {
    /// Wraps a storage error that no other variant describes.
    ///
    /// ```
    /// use leadapi_core::port::StoreError;
    ///
    /// fn read() -> Result<String, StoreError> {
    ///     std::fs::read_to_string("no such file").map_err(StoreError::backend)
    /// }
    /// assert!(matches!(read(), Err(StoreError::Backend(_))));
    /// ```
    pub fn backend(error: impl Into<BoxError>) -> Self {
        Self::Backend(error.into())
    }
}

/// The reason why a token is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidToken {
    /// The token is unknown.
    #[error("invalid token")]
    Unknown,
    /// The token has expired.
    #[error("token expired")]
    Expired,
    /// The token was revoked.
    #[error("token revoked")]
    Revoked,
}

#[cfg(test)]
mod tests {
    use std::{error::Error, io};

    use super::*;

    #[test]
    fn the_message_and_the_source_do_not_repeat_the_cause() {
        let cause = || io::Error::other("disk on fire");
        let backend = StoreError::backend(cause());
        assert_eq!((backend.to_string(), backend.source().is_some()), ("disk on fire".to_owned(), false));
        let unavailable = StoreError::Unavailable(cause().into());
        assert_eq!(unavailable.to_string(), "the store is unavailable");
        assert_eq!(unavailable.source().map(ToString::to_string), Some("disk on fire".into()));
    }
}
