//! Errors that end an iteration early.

use leadapi_model::http::Operation;

use crate::error::{Cause, Error};

/// The error for responses that do not form a list in the contract's order, or for a list that changes too fast.
/// Continuing could miss or repeat leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PagerError {
    /// The rows in a response are not ordered newest first, or contain a duplicate.
    #[error("the leads are not sorted newest first, so paging could miss or repeat leads")]
    Unsorted,
    /// The offset in the response differs from the requested offset.
    #[error("the response is not the requested page: offset {received} instead of {requested}")]
    WrongOffset {
        /// The requested offset.
        requested: u64,
        /// The offset in the response.
        received: u64,
    },
    /// More than this number of consecutive windows missed the resume point.
    #[error("no progress in {0} consecutive pages: the list changes faster than it can be read")]
    NoProgress(u32),
}

impl From<PagerError> for Error {
    fn from(error: PagerError) -> Self {
        Self::new(Operation::ListLeads, Cause::InconsistentList(error.to_string()))
    }
}
