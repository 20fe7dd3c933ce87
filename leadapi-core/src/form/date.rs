//! Calendar dates, as the number of days since a fixed day.

use chrono::{Datelike, NaiveDate};

/// Parses a date of the calendar in the form `2026-05-31`, and returns its day.
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

/// Formats a day as `2026-05-31`.
pub(super) fn format(day: i32) -> String {
    NaiveDate::from_num_days_from_ce_opt(day).map(|date| date.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_the_calendar_are_parsed() {
        for date in ["2026-05-31", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(parse(date).map(format).as_deref(), Some(date));
        }
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
