//! Errors, as they stand in a log.

use std::iter::successors;

/// An error with all its sources.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let sources = successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
