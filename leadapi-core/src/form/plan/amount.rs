//! Parsing of the numbers that visitors write, and formatting of amounts of money.

use std::borrow::Cow;

use super::bounds::decimal;
use crate::form::{aliases::plain, answer::Answer, locale::LocaleFormat, question::Question};

/// The format of the numbers of a question.
#[derive(Clone, Copy, Debug)]
pub(in crate::form) struct NumberFormat<'r> {
    format: &'static LocaleFormat,
    /// The currency of the numbers, if they are amounts of money. Empty if the question names none.
    currency: Option<&'r str>,
}

impl Default for NumberFormat<'_> {
    fn default() -> Self {
        Self { format: LocaleFormat::neutral(), currency: None }
    }
}

/// The symbols of some currencies. The other currencies are written as their codes.
const SYMBOLS: [(&str, &str); 8] =
    [("EUR", "€"), ("USD", "$"), ("GBP", "£"), ("JPY", "¥"), ("BRL", "R$"), ("PLN", "zł"), ("INR", "₹"), ("TRY", "₺")];

impl<'r> NumberFormat<'r> {
    pub(super) fn new(question: &'r Question, format: &'static LocaleFormat) -> Self {
        let name = question.kind.get().map(|kind| plain(kind.as_str())).unwrap_or_default();
        let is_money = question.format.as_str() == Some("currency")
            || question.currency.as_str().is_some()
            || ["currency", "monetary", "monetory", "money"].contains(&name.as_str());
        let currency = is_money.then(|| question.currency.as_str().unwrap_or_default().trim());
        Self { format, currency }
    }

    /// Returns the answer as a plain decimal number, or `None` if it is not a number. Only text is parsed in the format
    /// of the locale.
    pub(super) fn plain<'a>(&self, answer: &'a Answer) -> Option<Cow<'a, str>> {
        let text = match answer {
            Answer::Number(number) => return Some(number.as_str().into()),
            Answer::Text(text) => self.without_currency(text.trim()),
            _ => return None,
        };
        if self.format.is_known()
            && let Some(plain) = self.by_locale(text)
        {
            return Some(plain.into());
        }
        decimal(text).map(|_| text.into())
    }

    /// Removes the symbol or the code of the question's currency.
    fn without_currency<'t>(&self, text: &'t str) -> &'t str {
        let Some(currency) = self.currency.filter(|currency| !currency.is_empty()) else { return text };
        let names = [currency, currency_symbol(currency)];
        let rest = names.into_iter().find_map(|name| text.strip_prefix(name).or_else(|| text.strip_suffix(name)));
        rest.map_or(text, str::trim)
    }

    /// Parses a number in the format of the locale, with or without grouped digits.
    fn by_locale(&self, text: &str) -> Option<String> {
        let (sign, number) = text.split_at(usize::from(text.starts_with(['-', '+'])));
        let (whole, fraction) = number.split_once(self.format.decimal).unwrap_or((number, ""));
        let is_group = |c: char| {
            c == self.format.group || matches!(c, ' ' | '\u{a0}' | '\u{202f}') || c == '\'' && self.format.group == '’'
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut groups = whole.split(is_group);
        let first = groups.next().filter(|first| digits(first))?;
        let mut plain = format!("{sign}{first}");
        for group in groups {
            if !digits(group) || group.len() != 3 || first.len() > 3 {
                return None;
            }
            plain.push_str(group);
        }
        if number.contains(self.format.decimal) {
            plain.push('.');
            plain.push_str(Some(fraction).filter(|fraction| digits(fraction))?);
        }
        Some(plain)
    }

    /// Formats a valid answer. An amount of money is written in the format of the locale with its currency, and any
    /// other number as the visitor wrote it.
    pub(super) fn text<'a>(&self, answer: &'a Answer) -> Cow<'a, str> {
        let written = answer.text();
        let Some(currency) = self.currency else { return written };
        let amount = self.plain(answer).and_then(|plain| self.amount(&plain));
        let Some(amount) = amount else { return written };
        let (sign, amount) = amount.strip_prefix('-').map_or(("", amount.as_str()), |amount| ("-", amount));
        match currency_symbol(currency) {
            "" => format!("{sign}{amount}").into(),
            currency if !self.format.currency_first => format!("{sign}{amount} {currency}").into(),
            // A code needs a space, and so does a symbol if the decimal separator is a comma.
            currency if currency.len() > 2 && currency.is_ascii() || self.format.decimal == ',' => {
                format!("{sign}{currency} {amount}").into()
            }
            currency => format!("{sign}{currency}{amount}").into(),
        }
    }

    /// Formats a plain decimal number with grouped digits and at least two decimal places. Returns `None` if it has an
    /// exponent.
    fn amount(&self, plain: &str) -> Option<String> {
        let (sign, number) = match plain.split_at_checked(1) {
            Some(("-", number)) => ("-", number),
            Some(("+", number)) => ("", number),
            _ => ("", plain),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let whole = if whole.is_empty() { "0" } else { whole };
        if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut amount = sign.to_owned();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 && self.format.is_known() {
                amount.push(self.format.group);
            }
            amount.push(digit);
        }
        amount.push(self.format.decimal);
        amount.push_str(fraction);
        amount.extend(std::iter::repeat_n('0', 2_usize.saturating_sub(fraction.len())));
        Some(amount)
    }
}

/// Returns the symbol of a currency, or its code.
fn currency_symbol(currency: &str) -> &str {
    SYMBOLS.iter().find(|(code, _)| *code == currency).map_or(currency, |(_, symbol)| symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::policy::Policy;

    fn format(question: &str, locale: &str, answer: &str) -> (Option<String>, String) {
        let question: Question = serde_json::from_str(question).unwrap();
        let policy = Policy { locale: Some(locale.into()), ..Policy::default() };
        let format = NumberFormat::new(&question, LocaleFormat::of(&policy));
        let answer: Answer = serde_json::from_str(answer).unwrap();
        (format.plain(&answer).map(Cow::into_owned), format.text(&answer).into_owned())
    }

    #[test]
    fn numbers_are_read_in_the_format_of_the_locale() {
        for (locale, text, plain) in [
            ("de", "1.234,50", Some("1234.50")),
            ("de", "1.234", Some("1234")),
            ("de", "1234,5", Some("1234.5")),
            ("de", "-1 234 567,0", Some("-1234567.0")),
            ("de", "1.5", Some("1.5")),
            ("de", "1,234.50", None),
            ("de", "12.34,5", None),
            ("de", "1,", None),
            ("de", ",5", None),
            ("en", "1,234.50", Some("1234.50")),
            ("en", "1,5", None),
            ("de-CH", "1’234.50", Some("1234.50")),
            ("de-CH", "1'234.50", Some("1234.50")),
            ("fr", "1\u{202f}234,50", Some("1234.50")),
            ("", "1.234", Some("1.234")),
            ("", "1,5", None),
            ("de", "1e3", Some("1e3")),
        ] {
            let answer = serde_json::to_string(text).unwrap();
            assert_eq!(format("{}", locale, &answer), (plain.map(str::to_owned), text.to_owned()), "{locale} {text}");
        }
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
