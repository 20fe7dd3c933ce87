//! Classifies the errors of the driver by their SQLSTATE.

use std::sync::Arc;

use tokio_postgres::error::SqlState;

use crate::error::SqlError;

/// The error for a write to a database that accepts only reads.
#[derive(Debug, thiserror::Error)]
#[error("no host in the URL accepts writes: each is a standby or read-only")]
pub(crate) struct ReadOnly(#[source] pub(super) Arc<tokio_postgres::Error>);

/// Maps a driver error by its SQLSTATE.
pub(super) fn map_error(error: tokio_postgres::Error) -> SqlError {
    let Some(state) = error.code().cloned() else {
        // Without a SQLSTATE, the error is not from the database: the connection is closed, or the response is invalid.
        return SqlError::lost(error);
    };
    let error = Arc::new(error);
    if state == SqlState::T_R_SERIALIZATION_FAILURE || state == SqlState::T_R_DEADLOCK_DETECTED {
        SqlError::Retry(error)
    } else if state == SqlState::UNIQUE_VIOLATION {
        SqlError::Conflict(error)
    } else if state == SqlState::READ_ONLY_SQL_TRANSACTION {
        SqlError::Other(Arc::new(ReadOnly(error)))
    } else if state.code().starts_with("08") || state.code().starts_with("57P") {
        SqlError::Lost(error)
    } else {
        SqlError::Other(error)
    }
}

/// Returns whether a timeout of the database ended a statement.
pub(super) fn is_timeout(error: &SqlError) -> bool {
    let SqlError::Other(cause) = error else { return false };
    let state = cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code);
    state.is_some_and(|state| [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED].contains(state))
}

/// Returns whether the data of a single write caused the error. If so, the other writes may succeed without that write.
pub(super) fn is_caused_by_one_write(error: &SqlError) -> bool {
    match error {
        SqlError::Conflict(_) => true,
        SqlError::Other(cause) => {
            let state = cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code);
            // Data exceptions, constraint violations, and exceeded limits such as the row size.
            state.is_some_and(|state| ["22", "23", "54"].iter().any(|class| state.code().starts_with(class)))
        }
        _ => false,
    }
}
