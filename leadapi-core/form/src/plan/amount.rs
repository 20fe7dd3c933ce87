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

    fn format(question: &str, locale: &str, answer: &str) -> (Result<String, Problem>, String) {
        let question: Question = serde_json::from_str(question).unwrap();
        let format = NumberStyle::new(&question, Locale::of(locale));
        let answer: Answer = serde_json::from_str(answer).unwrap();
        (format.read(&answer).map(Cow::into_owned), format.text(&answer).into_owned())
    }

    #[test]
    fn numbers_are_read_in_the_format_of_the_locale() {
        for (locale, text, number) in [
            ("de", "1.234,50", Ok("1234.50")),
            ("de", "9.500", Ok("9500")),
            ("de", "9.50", Err(Problem::WrongGrouping)),
            ("de", "1.5", Err(Problem::WrongGrouping)),
            ("de", "1e3", Err(Problem::NotANumber)),
            ("en", "1,234.50", Ok("1234.50")),
            ("en", "9.500", Ok("9.500")),
            ("en", "1,5", Err(Problem::WrongGrouping)),
            ("de-CH", "1'234.50", Ok("1234.50")),
            ("fr", "1\u{202f}234,50", Ok("1234.50")),
            ("", "9.500", Err(Problem::AmbiguousNumber)),
            ("", "9,500", Err(Problem::NumberWithComma)),
            ("", "1,5", Err(Problem::NumberWithComma)),
            ("", "1 234", Err(Problem::NotANumber)),
            ("", "1.50", Ok("1.50")),
            ("", "1e3", Ok("1e3")),
        ] {
            let answer = serde_json::to_string(text).unwrap();
            assert_eq!(format("{}", locale, &answer), (number.map(str::to_owned), text.to_owned()), "{locale} {text}");
        }
        assert_eq!(format("{}", "de", "9.500").0.as_deref(), Ok("9.500"), "a JSON number has one reading");
    }

    #[test]
    fn amounts_are_read_with_their_currency() {
        let euros = r#"{"type":"number","currency":"EUR"}"#;
        for (locale, text, amount) in [
            ("de", "5 €", Ok("5")),
            ("de", "€5", Ok("5")),
            ("de", "1.500,-", Ok("1500")),
            ("de", "-1.500,50 EUR", Ok("-1500.50")),
            ("", "5 €", Ok("5")),
            ("", "1.500,-", Ok("1500")),
            ("", "1.500 €", Err(Problem::AmbiguousNumber)),
            ("de", "5 $", Err(Problem::NotANumber)),
        ] {
            let answer = serde_json::to_string(text).unwrap();
            assert_eq!(format(euros, locale, &answer).0, amount.map(str::to_owned), "{locale} {text}");
        }
        let (_, text) = format(euros, "nl", "\"-1.500,5\"");
        assert_eq!(format(euros, "nl", &serde_json::to_string(&text).unwrap()).0.as_deref(), Ok("-1500.50"), "{text}");
    }

    #[test]
    fn amounts_are_written_with_their_currency() {
        let money = |currency: &str| format!(r#"{{"format":"currency","currency":"{currency}"}}"#);
        for (currency, locale, answer, text) in [
            ("EUR", "de", "1234.5", "1.234,50 €"),
            ("EUR", "de", "\"1.234,50 €\"", "1.234,50 €"),
            ("EUR", "", "1234.5", "1234.50 €"),
            ("USD", "en", "-1234567", "-$1,234,567.00"),
            ("USD", "en", "0.125", "$0.125"),
            ("CHF", "de-CH", "\"CHF 1'000\"", "CHF 1’000.00"),
            ("EUR", "nl", "12", "€ 12,00"),
            ("BRL", "pt-BR", "999999.99", "R$ 999.999,99"),
            ("EUR", "de", "1e3", "1e3"),
            ("", "de", "1000", "1.000,00"),
        ] {
            assert_eq!(format(&money(currency), locale, answer).1, text, "{currency} {locale} {answer}");
        }
        assert_eq!(format(r#"{"type":"monetary"}"#, "de", "5").1, "5,00");
    }
}
