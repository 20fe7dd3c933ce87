//! The error type shared by both databases.

use std::sync::Arc;

use leadapi_core::{
    BoxError,
    admin::{AdminError, AdminRefusal},
    port::{InvalidToken, StoreError},
};

/// An error from a statement or a unit of work.
///
/// Implements `Clone`, because all writes that share a transaction share its outcome.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SqlError {
    /// The operation is not allowed. The message is for the caller.
    #[error("{0}")]
    Refused(String),
    /// The administrative change is not allowed.
    #[error(transparent)]
    Admin(#[from] AdminRefusal),
    /// The token of a write is no longer valid.
    #[error(transparent)]
    Unauthorized(#[from] InvalidToken),
    /// A record with this key already exists.
    #[error("a record with this key already exists")]
    Conflict(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The transaction conflicted with another transaction. A retry may succeed.
    #[error("the transaction conflicted with another transaction")]
    Retry(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The connection was lost, and with it the transaction. If `brief_work` ran the transaction, it may have been
    /// committed.
    #[error("the connection to the database was lost")]
    Lost(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The transaction got no connection in time, or a timeout ended it. It was not committed.
    #[error("the database is too busy")]
    Busy(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// It is unknown whether the transaction was committed, so the work must not be retried.
    #[error("the database did not confirm a commit, and its outcome could not be determined")]
    Unknown(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The storage can no longer be trusted. No further write may be acknowledged.
    #[error("the storage has failed")]
    Fatal(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// Any other error.
    #[error("the database failed")]
    Other(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl SqlError {
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    pub(crate) fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into().into())
    }

    pub(crate) fn busy(error: impl Into<BoxError>) -> Self {
        Self::Busy(error.into().into())
    }

    pub(crate) fn lost(error: impl Into<BoxError>) -> Self {
        Self::Lost(error.into().into())
    }
}

impl From<SqlError> for StoreError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Unauthorized(reason) => Self::Unauthorized(reason),
            SqlError::Conflict(cause) => Self::AlreadyExists(cause.into()),
            SqlError::Retry(_) | SqlError::Lost(_) | SqlError::Busy(_) => Self::Unavailable(error.into()),
            SqlError::Unknown(cause) => Self::UnknownOutcome(cause.into()),
            SqlError::Refused(_) | SqlError::Admin(_) | SqlError::Fatal(_) | SqlError::Other(_) => Self::backend(error),
        }
    }
}

impl From<SqlError> for AdminError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Admin(refusal) => Self::Refused(refusal),
            other => Self::Failed(other.into()),
        }
    }
}
