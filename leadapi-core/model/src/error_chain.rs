//! Error chains for the log.

use std::{error::Error, iter::successors};

/// Formats an error and all its sources, separated by colons.
///
/// ```
/// use leadapi_model::error_chain;
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the store is unavailable")]
/// struct Unavailable(#[source] std::io::Error);
///
/// let error = Unavailable(std::io::Error::other("the disk is full"));
/// assert_eq!(error_chain(&error), "the store is unavailable: the disk is full");
/// ```
pub fn error_chain(error: &dyn Error) -> String {
    let sources = successors(Some(error), |error| (**error).source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
