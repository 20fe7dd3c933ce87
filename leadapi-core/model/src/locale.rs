//! Reading and writing of numbers, amounts of money, dates and booleans in the formats of a language or country. Forms
//! and imports share it, so that the same text has the same value everywhere.

mod date;
mod format;

pub use crate::currency::{currency_in, currency_places, currency_symbol};
pub use date::DateError;

use chrono::NaiveDate;

use crate::number::{NumberError, NumberFormat};
use format::{LocaleFormat, UNKNOWN};

/// The formats of values in a language or country.
///
/// It never guesses: text that another country reads differently is rejected unless it has the format of the locale.
/// [`Locale::UNKNOWN`] stands for a person whose locale is unknown. It reads only text that has the same value in every
/// locale.
///
/// ```
/// use leadapi_model::locale::Locale;
///
/// let german = Locale::of("de-AT");
/// assert_eq!(german.read_number("9.500")?, "9500");
/// assert_eq!(german.read_money("1.500,- €", "EUR")?, "1500");
/// assert_eq!(german.read_date("31.05.2026")?, "2026-05-31".parse()?);
/// assert_eq!(german.read_bool("nein"), Some(false));
/// assert!(Locale::UNKNOWN.read_number("9.500").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locale(&'static LocaleFormat);

impl Locale {
    /// An unknown locale: a decimal point, dates such as `2026-05-31`, and English words.
    pub const UNKNOWN: Self = Self(&UNKNOWN);

    /// Returns the locale with a language tag, such as `de`, `de-AT` or `pt_BR`: that of the country if its formats are
    /// known, or else that of the language. English without a country, or of the United States, has the month first in
    /// dates. English of a country whose formats are not known has the formats of the United Kingdom. Returns
    /// [`UNKNOWN`](Self::UNKNOWN) if the language is not known either.
    ///
    /// ```
    /// use leadapi_model::locale::Locale;
    ///
    /// assert_eq!(Locale::of("de_AT"), Locale::of("DE"));
    /// assert_ne!(Locale::of("de-CH"), Locale::of("de"));
    /// assert_eq!(Locale::of("en-IN"), Locale::of("en-GB"));
    /// assert_eq!(Locale::of("tlh"), Locale::UNKNOWN);
    /// ```
    pub fn of(tag: &str) -> Self {
        let tag = tag.trim().to_lowercase().replace('_', "-");
        format::find(&tag).map_or(Self::UNKNOWN, Self)
    }

    /// Returns whether the formats of the locale are known.
    ///
    /// ```
    /// # use leadapi_model::locale::Locale;
    /// assert!(Locale::of("fr").is_known() && !Locale::UNKNOWN.is_known());
    /// ```
    pub fn is_known(self) -> bool {
        self != Self::UNKNOWN
    }

    /// Returns the format of numbers.
    ///
    /// ```
    /// use leadapi_model::{locale::Locale, number::NumberFormat};
    ///
    /// assert_eq!(Locale::of("es").numbers(), NumberFormat::DECIMAL_COMMA);
    /// assert_eq!(Locale::of("es-MX").numbers(), NumberFormat::DECIMAL_POINT);
    /// assert_eq!(Locale::UNKNOWN.numbers(), NumberFormat::Unknown);
    /// ```
    pub fn numbers(self) -> NumberFormat {
        if self.is_known() {
            NumberFormat::Local { decimal: self.0.decimal, group: self.0.group }
        } else {
            NumberFormat::Unknown
        }
    }

    /// Reads a number, and returns its exact value as the text of a JSON number.
    ///
    /// ```
    /// # use leadapi_model::{locale::Locale, number::NumberError};
    /// assert_eq!(Locale::of("en").read_number("1,234.50")?, "1234.50");
    /// assert_eq!(Locale::of("en").read_number("1.234,50"), Err(NumberError::WrongGrouping));
    /// # Ok::<(), NumberError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`NumberError`] with the reason if the text is not a number in the format of the locale.
    pub fn read_number(self, text: &str) -> Result<String, NumberError> {
        self.numbers().read(text)
    }

    /// Reads an amount of money, and returns its exact value as the text of a JSON number. The currency is a code, such
    /// as `EUR`. The code or another name, such as `€`, may precede or follow the number. Without a currency (an empty
    /// string), the text must not contain one.
    ///
    /// ```
    /// # use leadapi_model::{locale::Locale, number::NumberError};
    /// assert_eq!(Locale::UNKNOWN.read_money("€5", "EUR")?, "5");
    /// assert_eq!(Locale::of("de").read_money("1.500,-", "")?, "1500");
    /// assert_eq!(Locale::of("de").read_money("5 $", "EUR"), Err(NumberError::NotANumber));
    /// # Ok::<(), NumberError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`NumberError`] with the reason if the text is not an amount in the format of the locale.
    pub fn read_money(self, text: &str, currency: &str) -> Result<String, NumberError> {
        self.numbers().read_money(text, currency)
    }

    /// Writes a JSON number as an amount of money, with the decimal places of the currency. Without a currency, it
    /// writes at least two decimal places. Returns `None` if the number has an exponent.
    ///
    /// ```
    /// # use leadapi_model::locale::Locale;
    /// assert_eq!(Locale::of("de").write_money("-1234.5", "EUR").as_deref(), Some("-1.234,50 €"));
    /// assert_eq!(Locale::of("en-US").write_money("1234.5", "USD").as_deref(), Some("$1,234.50"));
    /// assert_eq!(Locale::of("ja").write_money("450000", "JPY").as_deref(), Some("450000 ¥"));
    /// ```
    pub fn write_money(self, number: &str, currency: &str) -> Option<String> {
        let amount = self.numbers().write(number, currency_places(currency))?;
        let (sign, amount) = amount.strip_prefix('-').map_or(("", amount.as_str()), |amount| ("-", amount));
        Some(match currency_symbol(currency) {
            "" => format!("{sign}{amount}"),
            symbol if !self.0.currency_first => format!("{sign}{amount} {symbol}"),
            // A code needs a space, and so does a symbol if the decimal separator is a comma.
            symbol if symbol.len() > 2 && symbol.is_ascii() || self.0.decimal == ',' => {
                format!("{sign}{symbol} {amount}")
            }
            symbol => format!("{sign}{symbol}{amount}"),
        })
    }

    /// Reads a calendar date such as `2026-05-31`, or in the format of the locale, such as `31.05.2026`. The day and
    /// the month may have one digit, and the year must have four.
    ///
    /// ```
    /// # use leadapi_model::locale::{DateError, Locale};
    /// assert_eq!(Locale::of("en-GB").read_date("5/6/2026")?.to_string(), "2026-06-05");
    /// assert_eq!(Locale::of("en-US").read_date("5/6/2026")?.to_string(), "2026-05-06");
    /// assert_eq!(Locale::UNKNOWN.read_date("5/6/2026"), Err(DateError::Ambiguous));
    /// # Ok::<(), DateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`DateError`] if the text is not a date of the calendar in one of these formats.
    pub fn read_date(self, text: &str) -> Result<NaiveDate, DateError> {
        date::read(text.trim(), self.0.date, self.is_known())
    }

    /// Writes a date.
    ///
    /// ```
    /// # use leadapi_model::locale::Locale;
    /// let date = "2026-05-31".parse()?;
    /// assert_eq!(Locale::of("de").write_date(date), "31.05.2026");
    /// assert_eq!(Locale::UNKNOWN.write_date(date), "2026-05-31");
    /// # Ok::<(), chrono::ParseError>(())
    /// ```
    pub fn write_date(self, date: NaiveDate) -> String {
        date::write(date, self.0.date)
    }

    /// Reads a word for a boolean: `true`, `yes`, `on`, `false`, `no`, `off`, or Yes or No in the language of the
    /// locale. Case and surrounding whitespace are ignored. Browsers send the word `on` for a checked box.
    ///
    /// ```
    /// # use leadapi_model::locale::Locale;
    /// assert_eq!(Locale::of("fr").read_bool(" OUI"), Some(true));
    /// assert_eq!(Locale::of("fr").read_bool("no"), Some(false));
    /// assert_eq!(Locale::UNKNOWN.read_bool("oui"), None);
    /// ```
    pub fn read_bool(self, text: &str) -> Option<bool> {
        let text = text.trim();
        let is_one_of = |words: [&str; 3]| words.into_iter().any(|word| text.eq_ignore_ascii_case(word));
        // Upper case, because in Turkish two lower-case letters have the upper case I.
        let is_word = |word: &str| text.len() <= 2 * word.len() && text.to_uppercase() == word.to_uppercase();
        if is_one_of(["true", "yes", "on"]) {
            Some(true)
        } else if is_one_of(["false", "no", "off"]) {
            Some(false)
        } else {
            [true, false].into_iter().find(|yes| is_word(self.word(*yes)))
        }
    }

    /// Returns the word for Yes or No.
    ///
    /// ```
    /// # use leadapi_model::locale::Locale;
    /// assert_eq!((Locale::of("es").word(true), Locale::UNKNOWN.word(false)), ("Sí", "No"));
    /// ```
    pub fn word(self, yes: bool) -> &'static str {
        if yes { self.0.yes } else { self.0.no }
    }
}

/// The locale of no language: [`Locale::UNKNOWN`].
impl Default for Locale {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

#[cfg(test)]
mod tests;
