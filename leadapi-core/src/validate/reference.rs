//! The references of a request to records: ids that can exist, and texts that cannot be ids.

use std::str::FromStr;

use serde::Serialize;

/// A reference of a request to a record.
///
/// A text that is not a valid id is not an error of the request: it names no record, like an unknown id (contract D4).
/// No store looks it up. It keeps its text, so that requests with different texts have different fingerprints
/// (contract D10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Reference<I> {
    /// An id, which a store looks up.
    Id(I),
    /// A text that is not an id.
    Invalid(String),
}

impl<I: FromStr> Reference<I> {
    pub(crate) fn parse(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Invalid(text.to_owned()), Self::Id)
    }
}

impl<I> Reference<I> {
    /// Returns the id to look up.
    pub(crate) const fn id(&self) -> Option<&I> {
        match self {
            Self::Id(id) => Some(id),
            Self::Invalid(_) => None,
        }
    }
}
