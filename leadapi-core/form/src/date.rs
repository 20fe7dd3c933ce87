//! Calendar dates as day numbers: the number of days since a fixed day.

use std::fmt::Write;

use chrono::{Datelike, NaiveDate};

/// Parses a calendar date such as `2026-05-31`, and returns its day number.
pub(super) fn parse(text: &str) -> Option<i32> {
    let text = text.trim();
    let digits = text.bytes().enumerate().all(|(at, byte)| matches!(at, 4 | 7) || byte.is_ascii_digit());
    if text.len() != 10 || !digits {
        return None;
    }
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let date = NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    Some(date.num_days_from_ce())
}

/// The format of a date in JSON, and of a date in text if no locale is set.
pub(super) const ISO: &str = "y-m-d";

/// Formats a day number. In `form`, `d`, `m` and `y` stand for the day, the month and the year.
pub(super) fn format(day: i32, form: &str) -> String {
    let Some(date) = NaiveDate::from_num_days_from_ce_opt(day) else { return String::new() };
    let mut text = String::new();
    for c in form.chars() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_the_calendar_are_parsed() {
        for date in ["2026-05-31", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(parse(date).map(|day| format(day, ISO)).as_deref(), Some(date));
        }
        assert_eq!(parse("0987-05-31").map(|day| format(day, "d.m.y")).as_deref(), Some("31.05.0987"));
        assert_eq!(parse(" 2026-05-31\n"), parse("2026-05-31"));
        assert_eq!(parse("2026-03-01").unwrap() - parse("2026-02-28").unwrap(), 1);
        for bad in [
            "",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "26-01-01",
            "2026/05/31",
            "31.05.2026",
            "2026-05-31T00:00",
            "+026-05-31",
            "2026-05-3a",
            "٢٠٢٦-05-31",
            "2026-05-031",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
