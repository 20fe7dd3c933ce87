//! Parsers for the values of settings. Their errors state which values are valid.

use std::str::FromStr;

use humantime::Duration;

/// Parses a number, including 0.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

/// Parses a number of at least 1.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number of at least 1")
}

pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    text.parse().map_err(|_| "must be a duration with a unit, such as 10s or 15min")
}
