//! Values of settings, with their rules in plain words.

use std::str::FromStr;

use humantime::Duration;

/// A number that may be 0.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

/// A number that may not be 0.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number of at least 1")
}

pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    text.parse().map_err(|_| "must be a time with its unit, such as 10s or 15min")
}
