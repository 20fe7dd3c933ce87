//! Error chains for the log.

use std::{error::Error, iter::successors};

/// Formats an error and all its sources, separated by colons.
///
/// ```
/// use leadapi_model::error_chain;
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the store is unavailable")]
/// struct Unavailable(#[source] std::fmt::Error);
///
/// let error = Unavailable(std::fmt::Error);
/// assert!(error_chain(&error).starts_with("the store is unavailable: an error occurred"));
/// ```
pub fn error_chain(error: &dyn Error) -> String {
    let sources = successors(Some(error), |error| (**error).source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
