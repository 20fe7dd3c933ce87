//! Parsing of the numbers that visitors write, and formatting of amounts of money.

use std::borrow::Cow;

use crate::{Question, answer::Answer, problem::Problem};
use leadapi_model::{form::plain_name, locale::Locale, number::NumberError};

/// The notation of the numbers in the answers to a question.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NumberStyle<'r> {
    locale: Locale,
    /// The currency of the numbers, if they are amounts of money. Empty if the question names no currency.
    currency: Option<&'r str>,
}

impl<'r> NumberStyle<'r> {
    pub(super) fn new(question: &'r Question, locale: Locale) -> Self {
        let name = question.kind.get().map(|kind| plain_name(kind.as_str())).unwrap_or_default();
        let is_money = question.format.as_str() == Some("currency")
            || question.currency.as_str().is_some()
            || ["currency", "monetary", "monetory", "money"].contains(&name.as_str());
        let currency = is_money.then(|| question.currency.as_str().unwrap_or_default().trim());
        Self { locale, currency }
    }

    pub(super) fn is_money(&self) -> bool {
        self.currency.is_some()
    }

    /// Returns the answer as the text of a JSON number. The locale affects only how answers that are strings are read.
    pub(super) fn read<'a>(&self, answer: &'a Answer) -> Result<Cow<'a, str>, Problem> {
        let text = match answer {
            Answer::Number(number) => return Ok(number.as_str().into()),
            Answer::Text(text) => text,
            _ => return Err(Problem::NotANumber),
        };
        let number = match self.currency {
            Some(currency) => self.locale.read_money(text, currency),
            None => self.locale.read_number(text),
        };
        number.map(Cow::Owned).map_err(|error| match error {
            _ if !self.locale.is_known() && text.contains(',') => Problem::NumberWithComma,
            NumberError::Ambiguous => Problem::AmbiguousNumber,
            NumberError::WrongGrouping if self.locale.is_known() => Problem::WrongGrouping,
            _ => Problem::NotANumber,
        })
    }

    /// Formats a valid answer. An amount of money is written in the format of the locale with its currency, and any
    /// other number as the visitor wrote it.
    pub(super) fn text<'a>(&self, answer: &'a Answer) -> Cow<'a, str> {
        let written = answer.text();
        let Some(currency) = self.currency else { return written };
        let amount = self.read(answer).ok().and_then(|number| self.locale.write_money(&number, currency));
        amount.map_or(written, Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`Locale`] has the tests of the formats.
    #[test]
    fn answers_are_read_and_written_in_the_format_of_the_locale() {
        let (number, euros, money) = ("{}", r#"{"currency":"EUR"}"#, r#"{"type":"monetary"}"#);
        for (question, locale, answer, read, text) in [
            (number, "de", r#""1.234,50""#, Ok("1234.50"), "1.234,50"),
            (number, "de", r#""9.500""#, Ok("9500"), "9.500"),
            (number, "de", "9.500", Ok("9.500"), "9.500"),
            (number, "de", r#""9.50""#, Err(Problem::WrongGrouping), "9.50"),
            (number, "de", r#""1e3""#, Err(Problem::NotANumber), "1e3"),
            (number, "", r#""9.500""#, Err(Problem::AmbiguousNumber), "9.500"),
            (number, "", r#""1,5""#, Err(Problem::NumberWithComma), "1,5"),
            (number, "", r#""1 234""#, Err(Problem::NotANumber), "1 234"),
            (number, "", r#""1e3""#, Ok("1e3"), "1e3"),
            (euros, "", r#""1.500 €""#, Err(Problem::AmbiguousNumber), "1.500 €"),
            (euros, "de", r#""5 $""#, Err(Problem::NotANumber), "5 $"),
            (euros, "nl", r#""-1.500,5""#, Ok("-1500.5"), "-€ 1.500,50"),
            (euros, "de", "1e3", Ok("1e3"), "1e3"),
            (money, "de", "5", Ok("5"), "5,00"),
            (r#"{"format":"currency"}"#, "de", "1000", Ok("1000"), "1.000,00"),
        ] {
            let question: Question = serde_json::from_str(question).unwrap();
            let style = NumberStyle::new(&question, Locale::of(locale));
            let answer: Answer = serde_json::from_str(answer).unwrap();
            assert_eq!(style.read(&answer).as_deref(), read.as_ref().copied(), "{locale} {answer:?}");
            assert_eq!(style.text(&answer), text, "{locale} {answer:?}");
        }
    }
}
