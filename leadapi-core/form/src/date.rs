//! Calendar dates as day numbers: the number of days since a fixed day.

use chrono::{Datelike, NaiveDate};
use leadapi_model::locale::Locale;

/// Parses a calendar date such as `2026-05-31`, and returns its day number.
pub(super) fn parse(text: &str) -> Option<i32> {
    read(text, Locale::UNKNOWN)
}

/// Parses a calendar date such as `2026-05-31`, or in the format of the locale, and returns its day number.
pub(super) fn read(text: &str, locale: Locale) -> Option<i32> {
    Some(locale.read_date(text).ok()?.num_days_from_ce())
}

/// Formats a day number.
pub(super) fn write(day: i32, locale: Locale) -> String {
    NaiveDate::from_num_days_from_ce_opt(day).map_or_else(String::new, |date| locale.write_date(date))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_the_calendar_are_parsed() {
        for date in ["2026-05-31", "2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(parse(date).map(|day| write(day, Locale::UNKNOWN)).as_deref(), Some(date));
        }
        assert_eq!(parse("0987-05-31").map(|day| write(day, Locale::of("de"))).as_deref(), Some("31.05.0987"));
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
