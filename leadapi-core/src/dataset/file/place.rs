//! Locations in a file, for error messages.

use std::fmt;

use crate::dataset::InvalidDataset;

/// The location of an array element. It is formatted only on error, because a file may have millions of valid
/// elements.
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

/// Passes each element of an array to `check`, with its location.
pub(super) fn each<R, T>(
    raw: Vec<R>,
    of: Option<&Place<'_>>,
    key: &'static str,
    mut check: impl FnMut(R, &Place<'_>) -> Result<T, InvalidDataset>,
) -> Result<Vec<T>, InvalidDataset> {
    raw.into_iter().enumerate().map(|(at, raw)| check(raw, &Place { of, key, at })).collect()
}
