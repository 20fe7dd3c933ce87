//! Timestamps on the wire: RFC 3339 in UTC, with `Z` and exactly three fractional digits (contract D4).

use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The error for text that is not an RFC 3339 timestamp, and for times outside the years 0 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 timestamp such as 2026-05-04T07:58:12.004Z")]
pub struct InvalidTimestamp;

/// An instant in UTC with millisecond precision (contract D4).
///
/// ```
/// use leadapi_model::model::Timestamp;
///
/// let at: Timestamp = "2026-05-04T09:58:12.0049+02:00".parse()?;
/// assert_eq!(at.to_string(), "2026-05-04T07:58:12.004Z");
/// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "openapi",
    derive(schemars::JsonSchema),
    schemars(
        inline,
        extend("format" = "date-time", "pattern" = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
    )
)]
pub struct Timestamp(#[cfg_attr(feature = "openapi", schemars(with = "String"))] DateTime<Utc>);

impl Timestamp {
    /// The Unix epoch: 1970-01-01T00:00:00.000Z.
    pub const UNIX_EPOCH: Self = Self(DateTime::UNIX_EPOCH);

    /// Returns the current time from the system clock.
    ///
    /// ```
    /// # use leadapi_model::model::Timestamp;
    /// assert!(Timestamp::now() > Timestamp::UNIX_EPOCH);
    /// ```
    pub fn now() -> Self {
        Self::truncated(Utc::now())
    }

    /// Creates a timestamp from the number of milliseconds since the Unix epoch, a common database representation.
    ///
    /// ```
    /// # use leadapi_model::model::Timestamp;
    /// assert_eq!(Timestamp::from_unix_millis(1_004)?.to_string(), "1970-01-01T00:00:01.004Z");
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidTimestamp`] when the year is outside 0 to 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, InvalidTimestamp> {
        DateTime::from_timestamp_millis(millis).ok_or(InvalidTimestamp).and_then(Self::checked)
    }

    /// Returns the number of milliseconds since the Unix epoch.
    ///
    /// ```
    /// # use leadapi_model::model::Timestamp;
    /// let at: Timestamp = "1969-12-31T23:59:59.999Z".parse()?;
    /// assert_eq!(at.unix_millis(), -1);
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    pub const fn unix_millis(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// Returns the time elapsed since `earlier`, or zero if `earlier` is later.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_model::model::Timestamp;
    /// let at = Timestamp::from_unix_millis(1_004)?;
    /// assert_eq!(at.saturating_duration_since(Timestamp::UNIX_EPOCH), Duration::from_millis(1_004));
    /// assert_eq!(Timestamp::UNIX_EPOCH.saturating_duration_since(at), Duration::ZERO);
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        (self.0 - earlier.0).to_std().unwrap_or_default()
    }

    /// Adds a duration and truncates to milliseconds. Returns `None` if the result is after the year 9999.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_model::model::Timestamp;
    /// let later = Timestamp::UNIX_EPOCH.checked_add(Duration::from_secs(60));
    /// assert_eq!(later, Some("1970-01-01T00:01:00Z".parse()?));
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    pub fn checked_add(self, by: Duration) -> Option<Self> {
        let at = self.0.checked_add_signed(TimeDelta::from_std(by).ok()?)?;
        Self::checked(at).ok()
    }

    /// Subtracts a duration and truncates to milliseconds. Returns `None` if the result is before the year 0.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_model::model::Timestamp;
    /// let earlier = Timestamp::UNIX_EPOCH.checked_sub(Duration::from_secs(60));
    /// assert_eq!(earlier, Some("1969-12-31T23:59:00Z".parse()?));
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    pub fn checked_sub(self, by: Duration) -> Option<Self> {
        let at = self.0.checked_sub_signed(TimeDelta::from_std(by).ok()?)?;
        Self::checked(at).ok()
    }

    /// Truncates to milliseconds. Fails if the wire format cannot represent the year.
    fn checked(at: DateTime<Utc>) -> Result<Self, InvalidTimestamp> {
        if (0..=9999).contains(&at.year()) { Ok(Self::truncated(at)) } else { Err(InvalidTimestamp) }
    }

    /// Truncates to milliseconds, because rounding up could produce a time in the future. A leap second becomes
    /// the last millisecond before it, because the wire format has no second 60.
    fn truncated(at: DateTime<Utc>) -> Self {
        let at = at.naive_utc();
        let millis = at.nanosecond().min(999_999_999) / 1_000_000;
        Self(at.with_nanosecond(millis * 1_000_000).unwrap_or(at).and_utc())
    }
}

impl From<Timestamp> for SystemTime {
    /// ```
    /// # use std::time::{Duration, SystemTime};
    /// # use leadapi_model::model::Timestamp;
    /// let at: Timestamp = "1970-01-01T00:00:01.004Z".parse()?;
    /// assert_eq!(SystemTime::from(at), SystemTime::UNIX_EPOCH + Duration::from_millis(1_004));
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    fn from(at: Timestamp) -> Self {
        at.0.into()
    }
}

impl TryFrom<SystemTime> for Timestamp {
    type Error = InvalidTimestamp;

    /// Truncates to milliseconds.
    ///
    /// ```
    /// # use std::time::{Duration, SystemTime};
    /// # use leadapi_model::model::Timestamp;
    /// let at = SystemTime::UNIX_EPOCH + Duration::from_micros(1_004_999);
    /// assert_eq!(Timestamp::try_from(at)?.to_string(), "1970-01-01T00:00:01.004Z");
    /// # Ok::<(), leadapi_model::model::InvalidTimestamp>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidTimestamp`] when the year is outside 0 to 9999, the range that the wire format can represent.
    fn try_from(at: SystemTime) -> Result<Self, InvalidTimestamp> {
        let (seconds, nanos) = match at.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => (i64::try_from(after.as_secs()), after.subsec_nanos()),
            Err(before) => {
                // Nanoseconds count forward from the whole second even for times before 1970.
                let before = before.duration();
                let whole = before.saturating_add(Duration::from_nanos(999_999_999)).as_secs();
                let nanos = Duration::from_secs(whole).saturating_sub(before).subsec_nanos();
                (i64::try_from(whole).map(i64::wrapping_neg), nanos)
            }
        };
        let at = seconds.ok().and_then(|seconds| DateTime::from_timestamp(seconds, nanos));
        at.ok_or(InvalidTimestamp).and_then(Self::checked)
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        Self::checked(DateTime::parse_from_rfc3339(text).map_err(|_| InvalidTimestamp)?.to_utc())
    }
}

impl Timestamp {
    /// Returns the timestamp in the wire format. Digits are written directly for speed, because every lead in a list
    /// has a timestamp.
    ///
    /// ```
    /// # use leadapi_model::model::Timestamp;
    /// assert_eq!(&Timestamp::UNIX_EPOCH.to_ascii(), b"1970-01-01T00:00:00.000Z");
    /// ```
    #[rustfmt::skip]
    pub fn to_ascii(self) -> [u8; 24] {
        // Converts the time once, because each accessor of `DateTime<Utc>` would apply the UTC offset again.
        let at = self.0.naive_utc();
        // Every parsed year has four digits. If the system clock is past the year 9999, only the last four digits of
        // the year are written.
        let year = at.year().unsigned_abs();
        let (month, day, hour, minute, second) = (at.month(), at.day(), at.hour(), at.minute(), at.second());
        let millis = at.nanosecond() / 1_000_000;
        [
            digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), b'-',
            digit(month / 10), digit(month), b'-', digit(day / 10), digit(day), b'T',
            digit(hour / 10), digit(hour), b':', digit(minute / 10), digit(minute), b':',
            digit(second / 10), digit(second), b'.',
            digit(millis / 100), digit(millis / 10), digit(millis), b'Z',
        ]
    }
}

/// Returns the last decimal digit of a number, in ASCII.
const fn digit(number: u32) -> u8 {
    b'0' + (number % 10) as u8
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(str::from_utf8(&self.to_ascii()).unwrap_or_default())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&self.to_ascii()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_written_with_three_fractional_digits_and_z() {
        for (read, written) in [
            ("2026-01-12T09:00:00Z", "2026-01-12T09:00:00.000Z"),
            ("2026-01-12T09:00:00.5Z", "2026-01-12T09:00:00.500Z"),
            ("2026-01-12T09:00:00.999999Z", "2026-01-12T09:00:00.999Z"),
            ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
            ("2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(read.parse::<Timestamp>().unwrap().to_string(), written);
        }
        for bad in ["", "2026-01-12", "2026-01-12T09:00:00", "yesterday"] {
            assert_eq!(bad.parse::<Timestamp>(), Err(InvalidTimestamp), "{bad:?}");
        }
    }

    #[test]
    fn conversions_to_system_time_and_back_round_trip() {
        for text in [
            "1969-12-31T23:59:59.999Z",
            "1970-01-01T00:00:00.000Z",
            "0000-01-01T00:00:00.000Z",
            "2026-05-04T07:58:12.004Z",
            "9999-12-31T23:59:59.999Z",
        ] {
            let at: Timestamp = text.parse().unwrap();
            assert_eq!(Timestamp::try_from(SystemTime::from(at)), Ok(at), "{text}");
        }
        let years = Duration::from_secs(10_000 * 366 * 86_400);
        assert_eq!(Timestamp::try_from(SystemTime::UNIX_EPOCH + years), Err(InvalidTimestamp));
        assert_eq!(Timestamp::try_from(SystemTime::UNIX_EPOCH - years), Err(InvalidTimestamp));
    }
}
