//! The notation of the amounts in the column `value`.

use std::fmt;

use crate::{delimiter::Delimiter, error::FileProblem};
use leadapi_core::{
    model::{Amount, InvalidAmount},
    number::NumberFormat,
};

/// The notation of amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Notation {
    /// A decimal point, and no digit grouping, because the meaning of 1,234 depends on the country.
    #[default]
    Plain,
    /// A decimal comma and optional digit grouping, such as 1.234,50 or 1234,5.
    DecimalComma,
    /// A decimal point and optional digit grouping, such as 1,234.50 or 1234.5.
    DecimalPoint,
}

impl Notation {
    /// Parses a number. A number in a different notation is an error.
    pub(crate) fn parse(self, text: &str) -> Result<Amount, String> {
        let format = match self {
            Self::DecimalComma => NumberFormat::DECIMAL_COMMA,
            Self::DecimalPoint => NumberFormat::DECIMAL_POINT,
            Self::Plain => NumberFormat::Plain,
        };
        let number = format.read(text).ok();
        let amount = number.map_or(Err(InvalidAmount::OutOfRange), |number| Amount::parse(&number));
        amount.map_err(|error| match error {
            InvalidAmount::Inexact => format!("value {error}"),
            _ => format!("value must be a number such as {}, not {text:?}", self.example()),
        })
    }

    const fn example(self) -> &'static str {
        match self {
            Self::DecimalComma => "450 or 1.234,5",
            Self::DecimalPoint => "450 or 1,234.5",
            Self::Plain => "450 or 1234.5",
        }
    }
}

/// Writes the decimal separator: `decimal comma` or `decimal point`.
impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::DecimalComma { "decimal comma" } else { "decimal point" })
    }
}

/// Formats a number with a decimal comma, without digit grouping and without an exponent.
pub(crate) fn with_decimal_comma(number: f64) -> String {
    // Without a precision, Rust prints only enough digits of a large whole number to identify the double.
    if number.fract() == 0.0 { format!("{number:.0}") } else { number.to_string().replace('.', ",") }
}

/// The findings of the first pass in the column `value`.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The first amount with a separator, or the first amount if none has one.
    example: Option<(String, Amount)>,
    /// The first amount whose point could also group digits, because exactly three digits follow it.
    ambiguous: Option<(u64, String)>,
    /// Whether the file contains an amount whose point can only be a decimal separator.
    has_decimals: bool,
}

/// An example amount from a file, and the number that it is read as.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AmountReading {
    /// The notation in which all amounts of the file are read.
    pub notation: Notation,
    /// The amount as written in the file.
    pub text: String,
    /// The number that the amount is read as.
    pub number: Amount,
}

impl Survey {
    pub(crate) fn add(&mut self, line: u64, text: &str, notation: Notation) {
        let text = text.trim();
        let Ok(amount) = notation.parse(text) else { return };
        let has_separator = |text: &str| text.contains(['.', ',']);
        if self.example.as_ref().is_none_or(|(first, _)| !has_separator(first) && has_separator(text)) {
            self.example = Some((text.to_owned(), amount));
        }
        if let Some((whole, fraction)) = text.split_once('.') {
            let digits = whole.trim_start_matches(['-', '+']);
            if fraction.len() == 3 && (1..=3).contains(&digits.len()) && !digits.starts_with('0') {
                self.ambiguous.get_or_insert((line, text.to_owned()));
            } else {
                self.has_decimals = true;
            }
        }
    }

    /// Returns an error if the file may use a decimal comma: the point in every amount could also group digits, the
    /// delimiter is not a comma, and no option names the notation.
    pub(crate) fn check(&self, notation: Notation, delimiter: Delimiter) -> Result<(), FileProblem> {
        match &self.ambiguous {
            Some((line, text))
                if notation == Notation::Plain && delimiter != Delimiter::Comma && !self.has_decimals =>
            {
                Err(FileProblem::AmbiguousAmount { line: *line, text: text.clone() })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn reading(self, notation: Notation) -> Option<AmountReading> {
        self.example.map(|(text, number)| AmountReading { notation, text, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_the_notation_of_the_option_only() {
        use Notation::{DecimalComma, DecimalPoint, Plain};
        for (text, notation, read) in [
            ("450", Plain, Some(450.0)),
            ("-1234.5", Plain, Some(-1234.5)),
            ("1e-7", Plain, Some(1e-7)),
            ("1,234", Plain, None),
            ("1 234", Plain, None),
            ("inf", Plain, None),
            ("NaN", Plain, None),
            ("9007199254740993", Plain, None),
            ("€ 5", Plain, None),
            ("1.234,50", DecimalComma, Some(1234.5)),
            ("1.000", DecimalComma, Some(1000.0)),
            ("1234,50", DecimalComma, Some(1234.5)),
            ("99.95", DecimalComma, None),
            ("1234.5", DecimalComma, None),
            ("12.34,5", DecimalComma, None),
            ("1,234.50", DecimalComma, None),
            ("1,234.50", DecimalPoint, Some(1234.5)),
            ("12.500", DecimalPoint, Some(12.5)),
            ("1.234,50", DecimalPoint, None),
        ] {
            assert_eq!(notation.parse(text).ok().map(Amount::get), read, "{text}");
        }
        assert!(DecimalComma.parse("99.95").unwrap_err().contains("not \"99.95\""));
    }

    #[test]
    fn an_exported_amount_is_read_as_it_was() {
        for number in [0.0, -0.5, 1234.75, 1e-7, 123_456_789.125, 1e20, f64::MAX, f64::MIN_POSITIVE] {
            let text = with_decimal_comma(number);
            assert_eq!(Notation::DecimalComma.parse(&text).map(Amount::get), Ok(number), "{text}");
        }
    }

    #[test]
    fn amounts_with_two_readings_are_detected() {
        let check = |texts: &[&str], notation, delimiter| {
            let mut survey = Survey::default();
            texts.iter().zip(2..).for_each(|(text, line)| survey.add(line, text, notation));
            survey.check(notation, delimiter).map_err(|problem| problem.to_string())
        };
        assert!(
            check(&["450", "1.234", "12.500"], Notation::Plain, Delimiter::Semicolon)
                .unwrap_err()
                .starts_with("line 3: value 1.234")
        );
        assert_eq!(check(&["1.234", "12.5"], Notation::Plain, Delimiter::Semicolon), Ok(()));
        assert_eq!(check(&["1.234", "0.125"], Notation::Plain, Delimiter::Semicolon), Ok(()));
        assert_eq!(check(&["1.234"], Notation::Plain, Delimiter::Comma), Ok(()));
        assert_eq!(check(&["1.234"], Notation::DecimalComma, Delimiter::Semicolon), Ok(()));
        assert_eq!(check(&["1.234"], Notation::DecimalPoint, Delimiter::Semicolon), Ok(()));
        assert_eq!(check(&["450"], Notation::Plain, Delimiter::Semicolon), Ok(()));
    }
}
