//! What ends a walk before its end.

use leadapi_core::http::Operation;

use crate::error::{Cause, Error};

/// The answers are not those of a list in the order of the contract, so that to go on would be to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// Rows of one answer do not stand newest first, or one stands there twice.
    #[error("the leads are not in order, newest first, so that a walk would miss some or repeat them")]
    Unordered,
    /// The answer says that it is for other rows than those that were asked for.
    #[error("the page is not the one that was asked for: offset {came} instead of {asked}")]
    AnotherPage {
        /// The offset that was asked for.
        asked: u64,
        /// The offset that the answer names.
        came: u64,
    },
    /// So many answers in a row held nothing new and were not the end.
    #[error("{0} pages in a row did not lead on: the list changes faster than it can be read")]
    Lost(u32),
}

/// The one place at which a fault becomes the client's error.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::new(Operation::ListLeads, Cause::Disordered(fault.to_string()))
    }
}
