//! The expiry of a token on the command line: a time, or a duration from now.

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
#[error("must be a time such as 2027-01-31T00:00:00Z, or a duration from now such as 90d or 12h")]
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

    /// Accepts at most 65,535 days or hours, so that the duration cannot overflow.
    fn from_str(text: &str) -> Result<Self, InvalidExpiry> {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let number = |digits: &str| digits.parse::<u16>().map(u32::from).map_err(|_| InvalidExpiry);
        match (text.strip_suffix('d'), text.strip_suffix('h')) {
            (Some(days), _) => Ok(Self::In(HOUR * 24 * number(days)?)),
            (_, Some(hours)) => Ok(Self::In(HOUR * number(hours)?)),
            _ => text.parse().map(Self::At).map_err(|_| InvalidExpiry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expiry_is_a_time_or_a_duration_from_now() {
        let now: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("2027-01-31T00:00:00Z", "2027-01-31T00:00:00.000Z"),
            ("90d", "2026-08-02T12:00:00.000Z"),
            ("12h", "2026-05-05T00:00:00.000Z"),
        ] {
            assert_eq!(text.parse::<Expiry>().unwrap().from(now).to_string(), at);
        }
        for bad in ["", "d", "90", "-1d", "1w", "1.5h", "65536d", "tomorrow"] {
            assert_eq!(bad.parse::<Expiry>(), Err(InvalidExpiry), "{bad:?}");
        }
    }
}
