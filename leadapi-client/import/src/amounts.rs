//! The notation of the amounts in the column `value`.

use std::fmt;

use leadapi_core::{
    locale::{Locale, currency_in},
    model::{Amount, InvalidAmount},
    number::NumberFormat,
};

use crate::error::FileProblem;

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
    /// The notation of a language or country.
    Local(Locale),
}

impl Notation {
    /// Parses an amount, with or without a currency. An amount in a different notation is an error.
    pub(crate) fn parse(self, text: &str) -> Result<Amount, String> {
        let amount = match self.format().read_money(text, currency_in(text).unwrap_or_default()) {
            Ok(number) => Amount::parse(&number),
            Err(_) => Err(InvalidAmount::OutOfRange),
        };
        amount.map_err(|error| match error {
            InvalidAmount::Inexact => format!("value {error}"),
            _ => format!("value must be a number such as {}, not {text:?}", self.example()),
        })
    }

    pub(crate) fn has_decimal_comma(self) -> bool {
        matches!(self.format(), NumberFormat::Local { decimal: ',', .. })
    }

    fn format(self) -> NumberFormat {
        match self {
            Self::DecimalComma => NumberFormat::DECIMAL_COMMA,
            Self::DecimalPoint => NumberFormat::DECIMAL_POINT,
            Self::Plain => NumberFormat::Plain,
            Self::Local(locale) => locale.numbers(),
        }
    }

    fn example(self) -> String {
        let example = self.format().write("1234.5", 1).unwrap_or_default();
        format!("450 or {example}")
    }
}

/// Writes the decimal separator: `decimal comma` or `decimal point`.
impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.has_decimal_comma() { "decimal comma" } else { "decimal point" })
    }
}

/// Formats a number with a decimal comma, without digit grouping and without an exponent.
pub(crate) fn with_decimal_comma(number: f64) -> String {
    // Without a precision, Rust prints only enough digits of a large whole number to identify the double.
    if number.fract() == 0.0 { format!("{number:.0}") } else { number.to_string().replace('.', ",") }
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

/// The findings of the first pass in the column `value`.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The first amounts with and without a separator.
    examples: [Option<String>; 2],
    /// The first amount that only a decimal comma explains, and the first one that only a decimal point explains.
    comma: Option<Found>,
    point: Option<Found>,
    /// The first amount, if possible with a comma, that is a different number with a decimal comma than with a decimal
    /// point.
    ambiguous: Option<Found>,
    /// The first currency, and the first amount in another one.
    currency: Option<&'static str>,
    other_currency: Option<Found>,
}

#[derive(Debug, Clone)]
struct Found {
    line: u64,
    text: String,
}

impl Survey {
    pub(crate) fn add(&mut self, line: u64, text: &str) {
        let text = text.trim();
        let found = || Found { line, text: text.to_owned() };
        let number = |notation: Notation| notation.parse(text).ok().map(Amount::get);
        let comma = number(Notation::DecimalComma);
        let point = number(Notation::DecimalPoint).or_else(|| number(Notation::Plain));
        match (comma, point) {
            (None, None) => return,
            (Some(_), None) => _ = self.comma.get_or_insert_with(found),
            (None, Some(_)) if text.contains(['.', ',']) => _ = self.point.get_or_insert_with(found),
            (Some(comma), Some(point)) if comma.to_bits() != point.to_bits() => {
                // 1,234 is ambiguous in every file, and 1.234 only in some.
                let is_first = |first: &Found| text.contains(',') && !first.text.contains(',');
                if self.ambiguous.as_ref().is_none_or(is_first) {
                    self.ambiguous = Some(found());
                }
            }
            _ => {}
        }
        if let Some(currency) = currency_in(text)
            && *self.currency.get_or_insert(currency) != currency
        {
            self.other_currency.get_or_insert_with(found);
        }
        let [separated, whole] = &mut self.examples;
        let example = if text.contains(['.', ',']) { separated } else { whole };
        example.get_or_insert_with(|| text.to_owned());
    }

    /// Returns `given`, the notation that the options name, or else the only notation in which all amounts are valid.
    ///
    /// If nothing shows whether 1.234 is a decimal or a grouped number, it is read as a decimal if `are_decimals` is
    /// true, and is an error otherwise. 1,234 is an error in either case.
    pub(crate) fn notation(&self, given: Option<Notation>, are_decimals: bool) -> Result<Notation, FileProblem> {
        if let (Some(currency), Some(Found { line, text })) = (self.currency, &self.other_currency) {
            return Err(FileProblem::MixedCurrencies { line: *line, text: text.clone(), currency });
        }
        if let Some(notation) = given {
            return Ok(notation);
        }
        match (&self.comma, &self.point, &self.ambiguous) {
            (Some(comma), Some(point), _) => Err(FileProblem::MixedNotations {
                comma: (comma.line, comma.text.clone()),
                point: (point.line, point.text.clone()),
            }),
            (Some(_), None, _) => Ok(Notation::DecimalComma),
            (None, None, Some(Found { line, text })) if !are_decimals || text.contains(',') => {
                Err(FileProblem::AmbiguousAmount { line: *line, text: text.clone() })
            }
            (None, Some(Found { text, .. }), _) if Notation::Plain.parse(text).is_err() => Ok(Notation::DecimalPoint),
            (None, Some(_), Some(Found { text, .. })) if text.contains(',') => Ok(Notation::DecimalPoint),
            _ => Ok(Notation::Plain),
        }
    }

    /// Returns whether an amount has a separator.
    pub(crate) fn has_separators(&self) -> bool {
        let [separated, _] = &self.examples;
        separated.is_some()
    }

    pub(crate) fn reading(&self, notation: Notation) -> Option<AmountReading> {
        let mut examples = self.examples.iter().flatten();
        examples
            .find_map(|text| Some(AmountReading { notation, text: text.clone(), number: notation.parse(text).ok()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_the_notation_of_the_option_only() {
        use Notation::{DecimalComma, DecimalPoint, Local, Plain};
        for (text, notation, read) in [
            ("450", Plain, Some(450.0)),
            ("-1234.5", Plain, Some(-1234.5)),
            ("1e-7", Plain, Some(1e-7)),
            ("1,234", Plain, None),
            ("1 234", Plain, None),
            ("inf", Plain, None),
            ("NaN", Plain, None),
            ("9007199254740993", Plain, None),
            ("€ 5", Plain, Some(5.0)),
            ("1.234,50", DecimalComma, Some(1234.5)),
            ("1.000", DecimalComma, Some(1000.0)),
            ("1234,50", DecimalComma, Some(1234.5)),
            ("99.95", DecimalComma, None),
            ("1234.5", DecimalComma, None),
            ("12.34,5", DecimalComma, None),
            ("1,234.50", DecimalComma, None),
            ("1.234,50 €", DecimalComma, Some(1234.5)),
            ("EUR 1.500,-", DecimalComma, Some(1500.0)),
            ("5 apples", DecimalComma, None),
            ("1,234.50", DecimalPoint, Some(1234.5)),
            ("-$1,234", DecimalPoint, Some(-1234.0)),
            ("R$ 1,234.50", DecimalPoint, Some(1234.5)),
            ("12.500", DecimalPoint, Some(12.5)),
            ("1.234,50", DecimalPoint, None),
            ("CHF 1'234.50", Local(Locale::of("de-CH")), Some(1234.5)),
            ("1 234,50", Local(Locale::of("fr")), Some(1234.5)),
            ("1.234,50", Local(Locale::of("en")), None),
        ] {
            assert_eq!(notation.parse(text).ok().map(Amount::get), read, "{text}");
        }
        assert!(DecimalComma.parse("99.95").unwrap_err().contains("450 or 1.234,5, not \"99.95\""));
    }

    #[test]
    fn an_exported_amount_is_read_as_it_was() {
        for number in [0.0, -0.5, 1234.75, 1e-7, 123_456_789.125, 1e20, f64::MAX, f64::MIN_POSITIVE] {
            let text = with_decimal_comma(number);
            assert_eq!(Notation::DecimalComma.parse(&text).map(Amount::get), Ok(number), "{text}");
        }
    }

    #[test]
    fn the_whole_column_decides_the_notation() {
        use Notation::{DecimalComma, DecimalPoint, Local, Plain};
        let french = Local(Locale::of("fr"));
        let ambiguous = |line: u64, text: &str| Err(format!("line {line}: value {text} is ambiguous"));
        for (texts, given, are_decimals, notation) in [
            (&["450", "1.234", "12.500"][..], None, false, ambiguous(3, "1.234")),
            (&["1.234", "12.5"], None, false, Ok(Plain)),
            (&["1.234", "0.125"], None, false, Ok(Plain)),
            (&["1.234"], None, true, Ok(Plain)),
            (&["1.234"], Some(DecimalComma), false, Ok(DecimalComma)),
            (&["1.234"], Some(DecimalPoint), false, Ok(DecimalPoint)),
            (&["1.234", "1,5"], Some(french), false, Ok(french)),
            (&["450"], None, false, Ok(Plain)),
            (&["1,234"], None, true, ambiguous(2, "1,234")),
            (&["1.234", "1,234"], None, true, ambiguous(3, "1,234")),
            (&["1,234", "1.234"], None, true, ambiguous(2, "1,234")),
            (&["1.234", "1,234", "99.95"], None, true, Ok(DecimalPoint)),
            (&["1,234", "1,234.50"], None, true, Ok(DecimalPoint)),
            (&["1,234", "99.95"], None, true, Ok(DecimalPoint)),
            (&["1,234", "99,95", "abc"], None, true, Ok(DecimalComma)),
            (&["1.234", "1.234,50 €"], None, true, Ok(DecimalComma)),
            (&["1.234.567"], None, true, Ok(DecimalComma)),
            (
                &["1.234,50", "450", "1,234.50"],
                None,
                true,
                Err("value 1.234,50 on line 2 and 1,234.50 on line 4 have different notations".to_owned()),
            ),
            (
                &["5 €", "EUR 5", "$5"],
                None,
                true,
                Err("line 4: value $5 is in a different currency; the amounts before it are in EUR".to_owned()),
            ),
        ] {
            let mut survey = Survey::default();
            texts.iter().zip(2..).for_each(|(text, line)| survey.add(line, text));
            let found = survey.notation(given, are_decimals).map_err(|problem| problem.to_string());
            match (&found, &notation) {
                (Err(found), Err(start)) => assert!(found.starts_with(start), "{texts:?}: {found}"),
                _ => assert_eq!(found, notation, "{texts:?}"),
            }
        }
    }
}
