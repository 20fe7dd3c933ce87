//! Decides whether an error of a commit proves that the transaction was rolled back.

use std::{error::Error, sync::Arc};

use tokio_postgres::error::SqlState;

use super::sql_state::map_error;
use crate::error::SqlError;

/// The error of a commit.
#[derive(Debug)]
pub(super) enum CommitError {
    /// The transaction was rolled back.
    RolledBack(SqlError),
    /// The transaction may have been committed.
    Unknown(Arc<dyn Error + Send + Sync>),
}

impl CommitError {
    /// Classifies the error of a statement that ran before the commit. The error proves a rollback if it comes from the
    /// database. If the connection was lost, a pooler may still have passed the commit on.
    pub(super) fn of_statement(error: SqlError) -> Self {
        match error {
            SqlError::Lost(lost) => Self::Unknown(lost),
            other => Self::RolledBack(other),
        }
    }

    /// Classifies the error that answers the commit itself. Only a conflict with another transaction or a violated
    /// constraint proves a rollback. For example, a distributed database reports XX000 if it does not learn whether
    /// another node has committed.
    pub(super) fn of_commit(error: tokio_postgres::Error) -> Self {
        let is_rollback = error.code().is_some_and(|state| {
            [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(state)
                || state.code().starts_with("23")
        });
        if is_rollback { Self::RolledBack(map_error(error)) } else { Self::Unknown(Arc::new(error)) }
    }
}

impl From<CommitError> for SqlError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::RolledBack(error) => error,
            CommitError::Unknown(cause) => Self::Unknown(cause),
        }
    }
}
