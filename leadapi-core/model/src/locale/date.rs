//! Reading and writing of calendar dates.

use std::fmt::Write;

use chrono::{Datelike, NaiveDate};

/// The reason why text cannot be read as a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DateError {
    /// The text is not a date of the calendar, or not in the format of the locale.
    #[error("must be a date such as 2026-05-31")]
    NotADate,
    /// The text may be a date, but the locale is unknown, and the order of the day and the month depends on it.
    #[error("is ambiguous: the order of its day and its month depends on the country")]
    Ambiguous,
}

/// Reads a trimmed date, such as `2026-05-31` or in the format.
pub(super) fn read(text: &str, format: &str, is_known: bool) -> Result<NaiveDate, DateError> {
    if let Some(date) = iso(text) {
        return Ok(date);
    }
    if !is_known {
        let is_local =
            ["d.m.y", "m.d.y", "d/m/y", "m/d/y", "d-m-y", "m-d-y"].iter().any(|format| local(text, format).is_some());
        return Err(if is_local { DateError::Ambiguous } else { DateError::NotADate });
    }
    local(text, format).ok_or(DateError::NotADate)
}

/// Reads a date such as `2026-05-31`.
fn iso(text: &str) -> Option<NaiveDate> {
    let digits = text.bytes().enumerate().all(|(at, byte)| matches!(at, 4 | 7) || byte.is_ascii_digit());
    if text.len() != 10 || !digits {
        return None;
    }
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// Reads a date in a format such as `d.m.y`.
fn local(text: &str, format: &str) -> Option<NaiveDate> {
    let separator = format.chars().find(|c| !c.is_ascii_lowercase())?;
    let (mut year, mut month, mut day) = (None, None, None);
    let mut parts = text.split(separator);
    for part in format.split(separator) {
        let digits = parts.next().map(str::trim).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
        match (part, digits.len()) {
            ("y", 4) => year = digits.parse().ok(),
            ("m", 1 | 2) => month = digits.parse().ok(),
            ("d", 1 | 2) => day = digits.parse().ok(),
            _ => return None,
        }
    }
    if parts.next().is_some() { None } else { NaiveDate::from_ymd_opt(year?, month?, day?) }
}

/// Writes a date. In the format, `d`, `m` and `y` stand for the day, the month and the year.
pub(super) fn write(date: NaiveDate, format: &str) -> String {
    let mut text = String::new();
    for c in format.chars() {
        // Writing to a string never fails.
        let _ = match c {
            'd' => write!(text, "{:02}", date.day()),
            'm' => write!(text, "{:02}", date.month()),
            'y' => write!(text, "{:04}", date.year()),
            c => text.write_char(c),
        };
    }
    text
}
