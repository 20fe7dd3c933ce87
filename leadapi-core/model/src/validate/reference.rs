//! References from a request to records: valid ids, and strings that cannot be ids.

use std::str::FromStr;

use serde::Serialize;

/// A reference from a request to a record.
///
/// A string that is not a valid id is not a validation error. Like an unknown id, it matches no record (contract D4),
/// so no store looks it up. The string is kept so that requests with different invalid references have different
/// fingerprints (contract D10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Reference<I> {
    /// A valid id, which a store looks up.
    Id(I),
    /// A string that is not a valid id.
    Invalid(String),
}

impl<I: FromStr> Reference<I> {
    pub(crate) fn parse(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Invalid(text.to_owned()), Self::Id)
    }
}

impl<I> Reference<I> {
    /// Returns the id to look up, or `None` if the reference is not a valid id.
    pub(crate) const fn id(&self) -> Option<&I> {
        match self {
            Self::Id(id) => Some(id),
            Self::Invalid(_) => None,
        }
    }
}
