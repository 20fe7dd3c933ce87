//! Reading and writing of numbers as people write them, with the separators of a locale. A number is never guessed:
//! text that has two readings, or separators in unusual places, is rejected.

use crate::currency;

/// The notation of a number in text.
///
/// ```
/// use leadapi_model::number::{NumberError, NumberFormat};
///
/// assert_eq!(NumberFormat::DECIMAL_COMMA.read("1.234,50")?, "1234.50");
/// assert_eq!(NumberFormat::DECIMAL_COMMA.read("99.95"), Err(NumberError::WrongGrouping));
/// assert_eq!(NumberFormat::Unknown.read("99.95")?, "99.95");
/// assert_eq!(NumberFormat::Unknown.read("9.500"), Err(NumberError::Ambiguous));
/// # Ok::<(), NumberError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberFormat {
    /// The notation of programs: a decimal point, no grouped digits, and optionally an exponent.
    Plain,
    /// The notation of a person whose locale is unknown. It is like [`Plain`](Self::Plain), but rejects a number with
    /// exactly three digits after its only separator: `9.500` is 9.5 in some countries and 9,500 in others.
    Unknown,
    /// The notation of a locale. Digits may be grouped in threes, by the separator of the locale or by spaces.
    Local {
        /// The separator before the decimal places.
        decimal: char,
        /// The separator between groups of three digits.
        group: char,
    },
}

/// The reason why text cannot be read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text contains characters that do not belong to a number, or no digits.
    #[error("must be a number")]
    NotANumber,
    /// The number has exactly three digits after its only separator, and its locale is unknown.
    #[error("is ambiguous: it has exactly three digits after its only separator")]
    Ambiguous,
    /// The separators do not match the format, or are in the wrong places.
    #[error("must have groups of three digits and one decimal separator, as usual in its locale")]
    WrongGrouping,
}

/// The spaces that separate groups of digits in every locale: an ordinary, a no-break and a narrow no-break space.
const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// The signs, as people type them and as spreadsheets write them.
const SIGNS: [char; 3] = ['-', '+', '\u{2212}'];

impl NumberFormat {
    /// A decimal comma, and points between groups of digits, as in `1.234,50`.
    pub const DECIMAL_COMMA: Self = Self::Local { decimal: ',', group: '.' };

    /// A decimal point, and commas between groups of digits, as in `1,234.50`.
    pub const DECIMAL_POINT: Self = Self::Local { decimal: '.', group: ',' };

    /// Reads a number, ignoring surrounding whitespace. Returns its exact value as the text of a JSON number.
    ///
    /// Grouped digits consist of a group of one to three digits without a leading zero, followed by groups of exactly
    /// three digits. All groups must have the same separator.
    ///
    /// ```
    /// use leadapi_model::number::{NumberError, NumberFormat};
    ///
    /// let format = NumberFormat::DECIMAL_COMMA;
    /// assert_eq!(format.read(" -1.000 ")?, "-1000");
    /// assert_eq!(format.read("12.34,5"), Err(NumberError::WrongGrouping));
    /// assert_eq!(format.read("twelve"), Err(NumberError::NotANumber));
    /// assert_eq!(NumberFormat::Plain.read("+.5e3")?, "0.5e3");
    /// # Ok::<(), NumberError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`NumberError`] with the reason if the text is not a number in this format.
    pub fn read(self, text: &str) -> Result<String, NumberError> {
        let (is_negative, number) = without_sign(text.trim());
        self.read_signed(is_negative, number)
    }

    /// Reads an amount of money like [`read`](Self::read). The code of the currency, such as `EUR`, or another of its
    /// names, such as `€`, may precede or follow the number. Pass an empty string for no currency. `,-` or `.-` can stand for decimal places that are zero. The `,` or `.` is then the decimal separator,
    /// even if the locale is unknown.
    ///
    /// ```
    /// use leadapi_model::number::{NumberError, NumberFormat};
    ///
    /// assert_eq!(NumberFormat::Unknown.read_money("-€5", "EUR")?, "-5");
    /// assert_eq!(NumberFormat::DECIMAL_COMMA.read_money("1.500,- EUR", "EUR")?, "1500");
    /// assert_eq!(NumberFormat::DECIMAL_COMMA.read_money("5 $", "EUR"), Err(NumberError::NotANumber));
    /// # Ok::<(), NumberError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`NumberError`] with the reason if the text is not an amount in this format.
    pub fn read_money(self, text: &str, currency: &str) -> Result<String, NumberError> {
        let (is_negative, text) = without_sign(text.trim());
        let code = Some(currency).filter(|code| !code.is_empty());
        let mut names = currency::names(currency).iter().copied().chain(code);
        let rest = names.find_map(|name| text.strip_prefix(name).or_else(|| text.strip_suffix(name)));
        let text = rest.map_or(text, str::trim);
        // The sign can also be between the currency and the number.
        let (is_negative, text) = if is_negative.is_some() { (is_negative, text) } else { without_sign(text) };
        let Some((whole, decimal)) = without_dash(text) else { return self.read_signed(is_negative, text) };
        let format = match (self, decimal) {
            (Self::Unknown, ',') => Self::DECIMAL_COMMA,
            (Self::Unknown, _) => Self::DECIMAL_POINT,
            (Self::Local { decimal: expected, .. }, _) if expected == decimal => self,
            _ => return Err(refusal(text)),
        };
        if whole.contains(decimal) { Err(refusal(whole)) } else { format.read_signed(is_negative, whole) }
    }

    fn read_signed(self, is_negative: Option<bool>, number: &str) -> Result<String, NumberError> {
        let number = match self {
            Self::Plain => plain(number)?,
            Self::Unknown => {
                let separators = || number.split(['.', ',']);
                let last = separators().next_back().unwrap_or_default();
                if separators().count() == 2 && last.len() == 3 && number.bytes().all(is_digit_or_separator) {
                    return Err(NumberError::Ambiguous);
                }
                plain(number)?
            }
            Self::Local { decimal, group } => local(number, decimal, group)?,
        };
        Ok(if is_negative == Some(true) { format!("-{number}") } else { number })
    }

    /// Writes a JSON number with at least this number of decimal places. [`Local`](Self::Local) groups its digits.
    /// Returns `None` if the number has an exponent, or the text is not a number.
    ///
    /// ```
    /// use leadapi_model::number::NumberFormat;
    ///
    /// assert_eq!(NumberFormat::DECIMAL_COMMA.write("1234.5", 2).as_deref(), Some("1.234,50"));
    /// assert_eq!(NumberFormat::Unknown.write("1234.5", 0).as_deref(), Some("1234.5"));
    /// assert_eq!(NumberFormat::Plain.write("1e3", 0), None);
    /// ```
    pub fn write(self, number: &str, decimal_places: usize) -> Option<String> {
        let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (decimal, group) = match self {
            Self::Local { decimal, group } => (decimal, Some(group)),
            Self::Plain | Self::Unknown => ('.', None),
        };
        let mut text = sign.to_owned();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 {
                text.extend(group);
            }
            text.push(digit);
        }
        if !fraction.is_empty() || decimal_places > 0 {
            text.push(decimal);
            text.push_str(fraction);
            text.extend(std::iter::repeat_n('0', decimal_places.saturating_sub(fraction.len())));
        }
        Some(text)
    }
}

/// Splits off the sign. Returns whether the number is negative, or `None` if it has no sign.
fn without_sign(text: &str) -> (Option<bool>, &str) {
    let mut chars = text.chars();
    match chars.next() {
        Some(sign) if SIGNS.contains(&sign) => (Some(sign != '+'), chars.as_str()),
        _ => (None, text),
    }
}

/// Splits off a dash that stands for the decimal places. Returns the whole number and the decimal separator.
fn without_dash(text: &str) -> Option<(&str, char)> {
    let text = text.strip_suffix("--").or_else(|| text.strip_suffix(['-', '\u{2013}', '\u{2014}']))?;
    let decimal = text.chars().next_back().filter(|c| matches!(c, ',' | '.'))?;
    Some((text.strip_suffix(decimal)?, decimal))
}

/// Reads a number in the notation of programs.
fn plain(number: &str) -> Result<String, NumberError> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = (is_digits(whole) || whole.is_empty() && !fraction.is_empty())
        && (is_digits(fraction) || fraction.is_empty())
        && exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    if !is_number {
        return Err(refusal(number));
    }
    let number = json(whole, fraction);
    Ok(exponent.map_or_else(|| number.clone(), |exponent| format!("{number}e{exponent}")))
}

/// Reads a number with the separators of a locale.
fn local(number: &str, decimal: char, group: char) -> Result<String, NumberError> {
    let (whole, fraction) = match number.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let is_group = |c: &char| *c == group || SPACES.contains(c) || group == '\u{2019}' && *c == '\'';
    let is_valid = fraction.is_none_or(is_digits)
        && match whole.chars().find(is_group) {
            None => is_digits(whole),
            Some(separator) => {
                let mut groups = whole.split(separator);
                groups.next().is_some_and(|first| is_digits(first) && first.len() <= 3 && !first.starts_with('0'))
                    && groups.all(|group| is_digits(group) && group.len() == 3)
            }
        };
    if !is_valid {
        return Err(refusal(number));
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    Ok(json(&digits, fraction.unwrap_or_default()))
}

/// Joins digits to a JSON number, which has neither leading zeros nor an empty part.
fn json(whole: &str, fraction: &str) -> String {
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_digit_or_separator(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b',')
}

/// Returns the reason why text without a sign is not a number.
fn refusal(number: &str) -> NumberError {
    let is_separator = |c: char| matches!(c, '.' | ',' | '\'' | '\u{2019}') || SPACES.contains(&c);
    let has_digit = number.contains(|c: char| c.is_ascii_digit());
    if has_digit && number.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        NumberError::WrongGrouping
    } else {
        NumberError::NotANumber
    }
}

#[cfg(test)]
mod tests;
