//! The expiry of a token on the command line: a date, a time, or a duration from now.

use std::{str::FromStr, time::Duration};

use leadapi_core::model::Timestamp;

/// The expiry of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expiry {
    At(Timestamp),
    In(Duration),
}

/// The error for a value that is not a valid expiry.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or a duration from now such as 90d")]
pub(super) struct InvalidExpiry;

impl Expiry {
    pub(super) fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            // A time after the year 9999 falls back to the current time, which token creation rejects as expired.
            Self::In(time) => now.checked_add(time).unwrap_or(now),
        }
    }
}

impl FromStr for Expiry {
    type Err = InvalidExpiry;

    /// A date stands for its end in UTC, so that the token is valid on that day.
    fn from_str(text: &str) -> Result<Self, InvalidExpiry> {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        if let Ok(time) = humantime::parse_duration(text) {
            return Ok(Self::In(time));
        }
        if text.len() == "2027-01-31".len() {
            let start: Timestamp = format!("{text}T00:00:00Z").parse().map_err(|_| InvalidExpiry)?;
            return start.checked_add(DAY).map(Self::At).ok_or(InvalidExpiry);
        }
        text.parse().map(Self::At).map_err(|_| InvalidExpiry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_date_a_time_or_a_duration_from_now() {
        let now: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("2027-01-31T00:00:00Z", "2027-01-31T00:00:00.000Z"),
            ("2026-12-31", "2027-01-01T00:00:00.000Z"),
            ("2028-02-29", "2028-03-01T00:00:00.000Z"),
            ("90d", "2026-08-02T12:00:00.000Z"),
            ("12h", "2026-05-05T00:00:00.000Z"),
            ("2w", "2026-05-18T12:00:00.000Z"),
        ] {
            assert_eq!(text.parse::<Expiry>().unwrap().from(now).to_string(), at);
        }
        for bad in ["", "d", "90", "-1d", "tomorrow", "2026-02-30", "31.12.2026", "2026-1-1", "9999-12-31"] {
            assert_eq!(bad.parse::<Expiry>(), Err(InvalidExpiry), "{bad:?}");
        }
    }
}
