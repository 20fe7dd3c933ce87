//! JSON numbers, which are kept as text and converted to integers or doubles on demand.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::Error as _};
use serde_json::value::RawValue;

use super::raw::Raw;

/// A JSON number of any size and precision, kept as text (contract D11).
///
/// Two numbers are equal if their text is equal, so `10` is not equal to `10.0`. To compare values, use
/// [`as_i64`](Self::as_i64) or [`as_f64`](Self::as_f64).
///
/// ```
/// use leadapi_model::form::Number;
///
/// let large = Number::parse("12345678901234567890123")?;
/// assert_eq!(serde_json::to_string(&large)?, "12345678901234567890123");
/// assert_ne!(Number::parse("10.0")?, Number::from(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

/// The error for text or a double that is not a JSON number. JSON cannot represent infinities or NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON number")]
pub struct InvalidNumber;

impl Number {
    /// Parses a JSON number.
    ///
    /// ```
    /// use leadapi_model::form::Number;
    ///
    /// assert_eq!(Number::parse("-0")?.as_str(), "-0");
    /// assert!(Number::parse("07").is_err());
    /// # Ok::<(), leadapi_model::form::InvalidNumber>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidNumber`] if the text is not exactly one JSON number.
    pub fn parse(text: &str) -> Result<Self, InvalidNumber> {
        let raw = serde_json::from_str::<&RawValue>(text).map_err(|_| InvalidNumber)?;
        // The test of the first character excludes other JSON values and leading whitespace.
        let number = raw.get() == text && text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        if number { Ok(Self(text.into())) } else { Err(InvalidNumber) }
    }

    /// Returns the number as it is written in JSON.
    ///
    /// ```
    /// use leadapi_model::form::Number;
    ///
    /// assert_eq!(Number::parse("1E+2")?.as_str(), "1E+2");
    /// # Ok::<(), leadapi_model::form::InvalidNumber>(())
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number as an integer, if it is whole and fits in an `i64`.
    ///
    /// The notation does not matter: `10`, `10.0` and `1e1` are all the integer ten.
    ///
    /// ```
    /// use leadapi_model::form::Number;
    ///
    /// assert_eq!(Number::parse("10.0")?.as_i64(), Some(10));
    /// assert_eq!(Number::parse("0.5")?.as_i64(), None);
    /// assert_eq!(Number::parse("1e400")?.as_i64(), None);
    /// # Ok::<(), leadapi_model::form::InvalidNumber>(())
    /// ```
    pub fn as_i64(&self) -> Option<i64> {
        /// An `i64` has at most 19 digits, so at most 18 of them are trailing zeros.
        const MAX_ZEROS: usize = 18;

        let (mantissa, exponent) = self.0.split_once(['e', 'E']).unwrap_or((&self.0, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_end_matches('0');
        if matches!(significant, "" | "-") {
            return Some(0);
        }
        // The value is `significant` followed by `zeros` zeros. If the exponent does not fit in an `i64`, the value is
        // too large or not whole.
        let trimmed = i64::try_from(digits.len() - significant.len()).ok()?;
        let fraction = i64::try_from(fraction.len()).ok()?;
        let zeros = exponent.parse::<i64>().ok()?.checked_add(trimmed)?.checked_sub(fraction)?;
        let zeros = usize::try_from(zeros).ok().filter(|zeros| *zeros <= MAX_ZEROS)?;
        format!("{significant}{}", "0".repeat(zeros)).parse().ok()
    }

    /// Returns the double nearest to the number, if that double is finite.
    ///
    /// ```
    /// use leadapi_model::form::Number;
    ///
    /// assert_eq!(Number::parse("2.50")?.as_f64(), Some(2.5));
    /// assert_eq!(Number::parse("1e400")?.as_f64(), None);
    /// # Ok::<(), leadapi_model::form::InvalidNumber>(())
    /// ```
    pub fn as_f64(&self) -> Option<f64> {
        // Most numbers are small integers, which parse faster as integers.
        let small = self.0.parse::<u32>().map(f64::from);
        small.or_else(|_| self.0.parse()).ok().filter(|number| number.is_finite())
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(integer: $integer) -> Self {
                Self(integer.to_string().into())
            }
        }
    )*};
}

from_integer!(i32, i64, u32, u64);

impl TryFrom<f64> for Number {
    type Error = InvalidNumber;

    /// Converts a double to a JSON number. A whole number is written without `.0`, like all amounts in this API.
    fn try_from(number: f64) -> Result<Self, InvalidNumber> {
        let text = format!("{number:?}");
        Self::parse(text.strip_suffix(".0").unwrap_or(&text))
    }
}

impl FromStr for Number {
    type Err = InvalidNumber;

    fn from_str(text: &str) -> Result<Self, InvalidNumber> {
        Self::parse(text)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({})", self.0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Serializes the number as raw JSON to preserve its digits.
        serde_json::from_str::<&RawValue>(&self.0).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Self::parse(raw.text()).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_json_numbers_are_parsed() {
        for good in ["0", "-0", "10.0", "1e400", "1E+2", "-1.5e-7", "12345678901234567890123"] {
            assert_eq!(Number::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "-", "+1", "01", "1.", ".5", "1e", " 1", "1 ", "NaN", "inf", "null", "\"1\"", "[1]", "1,2"] {
            assert_eq!(Number::parse(bad), Err(InvalidNumber), "{bad:?}");
        }
    }

    #[test]
    fn an_integer_is_returned_only_if_it_is_exact() {
        for (text, integer) in [
            ("0", Some(0)),
            ("-0.00e99999999999999999999", Some(0)),
            ("10.0", Some(10)),
            ("-1E+2", Some(-100)),
            ("1200e-2", Some(12)),
            ("1.25e2", Some(125)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9.223372036854775807e18", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("1e19", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("1e-99999999999999999999", None),
            ("1e9223372036854775807", None),
            ("10e9223372036854775807", None),
            ("1.5e-9223372036854775808", None),
            ("0.5", None),
            ("125e-2", None),
            // None of these numbers is whole, but the nearest double to each of them is.
            ("4503599627370497.3", None),
            ("0.99999999999999999999", None),
            ("1e-400", None),
        ] {
            assert_eq!(Number::parse(text).unwrap().as_i64(), integer, "{text}");
        }
    }

    #[test]
    fn only_finite_doubles_convert_to_numbers() {
        for (double, text) in [(18.0, "18"), (-0.0, "-0"), (0.1, "0.1"), (1e300, "1e300"), (5e-324, "5e-324")] {
            let number = Number::try_from(double).unwrap();
            assert_eq!(number.as_str(), text);
            assert_eq!(number.as_f64().map(f64::to_bits), Some(double.to_bits()));
        }
        for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Number::try_from(none), Err(InvalidNumber));
        }
    }
}
