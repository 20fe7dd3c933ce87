//! Error chains for the log.

use std::{error::Error, iter::successors};

/// Formats an error and all its sources, separated by colons.
pub(crate) fn error_chain(error: &dyn Error) -> String {
    let sources = successors(Some(error), |error| (**error).source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
