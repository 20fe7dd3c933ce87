//! Errors that end a walk early.

use leadapi_core::http::Operation;

use crate::error::{Cause, Error};

/// Responses that do not form a list in the order of the contract. To continue would be a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The rows of one response are not ordered newest first, or contain a duplicate.
    #[error("the leads are not in order, newest first, so that a walk would miss some or repeat them")]
    Unordered,
    /// The response names another offset than the requested one.
    #[error("the page is not the one that was asked for: offset {came} instead of {asked}")]
    AnotherPage {
        /// The requested offset.
        asked: u64,
        /// The offset in the response.
        came: u64,
    },
    /// This number of consecutive responses had no new rows and did not reach the end.
    #[error("{0} pages in a row did not lead on: the list changes faster than it can be read")]
    Lost(u32),
}

/// The only conversion of a fault into the client's error.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::new(Operation::ListLeads, Cause::Disordered(fault.to_string()))
    }
}
