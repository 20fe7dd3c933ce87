//! Parsers for the values of settings. Their errors state which values are valid.

use std::{fmt::Display, str::FromStr};

use humantime::Duration;
use leadapi_core::validate::{check_email, check_name, check_token_name};

/// Parses a whole number, which may be 0.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

/// Parses a whole number of at least 1.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number of at least 1")
}

pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    text.parse().map_err(|_| "must be a duration with a unit, such as 10s or 15min")
}

/// Parses the name of a business, client account, pipeline or stage, and trims surrounding whitespace.
pub(super) fn name(text: &str) -> Result<String, String> {
    checked(text, check_name)
}

pub(super) fn token_name(text: &str) -> Result<String, String> {
    checked(text, check_token_name)
}

pub(super) fn email(text: &str) -> Result<String, String> {
    checked(text, check_email)
}

fn checked<E: Display>(text: &str, check: impl Fn(&str) -> Result<(), E>) -> Result<String, String> {
    let text = text.trim();
    check(text).map(|()| text.to_owned()).map_err(|rule| rule.to_string())
}
