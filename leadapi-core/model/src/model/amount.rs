//! Validation and serialization of the `value` of a lead (contract D4).

use std::{fmt, hash};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// The error for a number that is not a valid `value` (contract D4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidAmount {
    /// The number is not finite or exceeds the range of a double, or the text is not a number.
    #[error("must be a finite number within the range of a double")]
    OutOfRange,
    /// The number is a whole number that a double cannot represent exactly, so the API would return a different number.
    #[error("must be exactly representable as a double if it is a whole number")]
    Inexact,
}

/// An amount of money in major currency units: any finite double (contract D4).
///
/// A whole number serializes with all its digits and without `.0`. A fraction serializes in the shortest form that
/// parses to the same double.
///
/// ```
/// use leadapi_model::model::Amount;
///
/// assert_eq!(Amount::from(450).to_string(), "450");
/// assert_eq!(Amount::try_from(450.5)?.to_string(), "450.5");
/// assert!(Amount::try_from(f64::NAN).is_err());
/// # Ok::<(), leadapi_model::model::InvalidAmount>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
pub struct Amount(f64);

impl Amount {
    /// Parses the text of a JSON number.
    ///
    /// ```
    /// use leadapi_model::model::{Amount, InvalidAmount};
    ///
    /// assert_eq!(Amount::parse("450.0")?, Amount::from(450));
    /// assert_eq!(Amount::parse("1e400"), Err(InvalidAmount::OutOfRange));
    /// assert_eq!(Amount::parse("9007199254740993"), Err(InvalidAmount::Inexact));
    /// # Ok::<(), InvalidAmount>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidAmount`] when the text is not a number, or when the number exceeds the range of a double or is a whole
    /// number that a double cannot represent exactly.
    pub fn parse(text: &str) -> Result<Self, InvalidAmount> {
        let number: f64 = text.parse().map_err(|_| InvalidAmount::OutOfRange)?;
        let amount = Self::try_from(number)?;
        if is_held(text, number) { Ok(amount) } else { Err(InvalidAmount::Inexact) }
    }

    /// Returns the amount as a double.
    ///
    /// ```
    /// assert_eq!(leadapi_model::model::Amount::from(7).get(), 7.0);
    /// ```
    pub const fn get(self) -> f64 {
        self.0
    }

    fn is_whole(self) -> bool {
        self.0.fract() == 0.0
    }

    /// Returns the amount as an `i64` if it is a whole number whose magnitude is less than 2^63.
    fn to_i64(self) -> Option<i64> {
        const BOUND: f64 = 9_223_372_036_854_775_808.0;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the bounds of an i64")]
        (self.is_whole() && self.0.abs() < BOUND).then_some(self.0 as i64)
    }
}

/// Returns whether `number` is an acceptable representation of the number in `text`.
///
/// A fraction may be rounded to the nearest double. A whole number must equal the double exactly, regardless of its
/// notation (contract D4).
fn is_held(text: &str, number: f64) -> bool {
    // A double represents every whole number of a magnitude below 2^53 exactly. Whole numbers of a greater magnitude
    // never round to a magnitude below 2^53.
    if number.abs() < 9_007_199_254_740_992.0 {
        return true;
    }
    let sent = Decimal::read(text);
    // `{:.0}` prints the exact value. Without a precision, Rust prints only enough digits to identify the double,
    // followed by zeros.
    !sent.is_whole() || sent == Decimal::read(&format!("{number:.0}"))
}

/// The magnitude of a decimal number, as significant digits and a power of ten. Each magnitude has a single
/// representation.
#[derive(PartialEq)]
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Self {
        let text = text.trim_start_matches('-');
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_end_matches('0');
        let digits = significant.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Self { digits, exponent: 0 };
        }
        // An exponent that does not fit in an `i64` needs no exact value, because the number is then out of range or
        // rounds to zero.
        let exponent: i64 = exponent.parse().unwrap_or(i64::MIN / 2);
        let dropped = all.len() - significant.len();
        let shift = i64::try_from(dropped).unwrap_or(0) - i64::try_from(fraction.len()).unwrap_or(0);
        Self { digits, exponent: exponent.saturating_add(shift) }
    }

    fn is_whole(&self) -> bool {
        self.exponent >= 0
    }
}

impl From<i32> for Amount {
    fn from(number: i32) -> Self {
        Self(number.into())
    }
}

impl From<u32> for Amount {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl TryFrom<f64> for Amount {
    type Error = InvalidAmount;

    fn try_from(number: f64) -> Result<Self, InvalidAmount> {
        // Adding zero turns negative zero into zero, because JSON parsers disagree about negative zero.
        if number.is_finite() { Ok(Self(number + 0.0)) } else { Err(InvalidAmount::OutOfRange) }
    }
}

impl Eq for Amount {}

impl hash::Hash for Amount {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_whole() { write!(f, "{:.0}", self.0) } else { self.0.fmt(f) }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_i64() {
            Some(whole) => serializer.serialize_i64(whole),
            None if self.is_whole() => {
                // `serialize_f64` writes at most 17 significant digits. A parser with more precision would read them as
                // a different number.
                RawValue::from_string(self.to_string()).map_err(ser::Error::custom)?.serialize(serializer)
            }
            None => serializer.serialize_f64(self.0),
        }
    }
}

/// Serializes an unchecked number in the same way as an [`Amount`], so that the server parses exactly the number that
/// the caller set. Infinities and NaN are passed to serde unchanged.
pub(super) fn serialize_unchecked<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match Amount::try_from(number) {
        Ok(amount) => amount.serialize(serializer),
        Err(_) => serializer.serialize_f64(number),
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(f64::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn through_json(text: &str) -> Result<String, InvalidAmount> {
        Amount::parse(text).map(|amount| serde_json::to_string(&amount).unwrap())
    }

    #[test]
    fn numbers_serialize_as_the_caller_sent_them() {
        for (sent, back) in [
            ("450", "450"),
            ("450.0", "450"),
            ("-0", "0"),
            ("0.1", "0.1"),
            ("-12.50", "-12.5"),
            ("1e3", "1000"),
            ("9007199254740992", "9007199254740992"),
            ("9007199254740994", "9007199254740994"),
            ("9223372036854774784", "9223372036854774784"),
            ("9223372036854775808", "9223372036854775808"),
            ("-18446744073709551616", "-18446744073709551616"),
            ("1e22", "10000000000000000000000"),
            ("1e-400", "0"),
            ("5e-324", "5e-324"),
        ] {
            assert_eq!(through_json(sent).as_deref(), Ok(back), "{sent}");
        }
        assert_eq!(Amount::parse("9223372036854775808").unwrap().to_string(), "9223372036854775808");
    }

    #[test]
    fn numbers_that_a_double_cannot_represent_are_refused() {
        for inexact in [
            "9007199254740993",
            "-9007199254740993",
            "9007199254740993.0",
            "9007199254740993e0",
            "900719925474099.3e1",
            "12345678901234567890123",
            "18446744073709551615",
            "100000000000000000000000",
            "1e23",
            "1e300",
        ] {
            assert_eq!(through_json(inexact), Err(InvalidAmount::Inexact), "{inexact}");
        }
        for beyond in ["1e400", "-1e400", "1e99999999999999999999"] {
            assert_eq!(through_json(beyond), Err(InvalidAmount::OutOfRange), "{beyond}");
        }
    }

    proptest! {
        #[test]
        fn every_finite_double_round_trips(number in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            let whole = number.fract() == 0.0;
            let text = if whole { format!("{number:.0}") } else { serde_json::to_string(&number).unwrap() };
            let back = through_json(&text).unwrap();
            prop_assert_eq!(back.parse::<f64>().unwrap().to_bits(), number.to_bits());
            let read: Amount = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read.get().to_bits(), number.to_bits());
            prop_assert!(!whole || back == text);
        }
    }
}
