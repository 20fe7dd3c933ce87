//! Where in a file something stands.

use std::fmt;

use crate::dataset::InvalidDataset;

/// Where an element of an array stands. It is seldom written out: there may be millions, and nothing wrong with them.
pub(super) struct Place<'a> {
    of: Option<&'a Self>,
    key: &'static str,
    at: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(of) = self.of {
            write!(f, "{of}.")?;
        }
        write!(f, "{}[{}]", self.key, self.at)
    }
}

/// Checks the elements of an array, each with its place.
pub(super) fn each<R, T>(
    raw: Vec<R>,
    of: Option<&Place<'_>>,
    key: &'static str,
    mut check: impl FnMut(R, &Place<'_>) -> Result<T, InvalidDataset>,
) -> Result<Vec<T>, InvalidDataset> {
    raw.into_iter().enumerate().map(|(at, raw)| check(raw, &Place { of, key, at })).collect()
}
