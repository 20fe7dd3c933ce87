//! Text, numbers, dates and words in the language of a form, and limits on text.
//!
//! Knows only the formats of the languages that tests use: German, and English of the United States and of India.

use serde_json::Value;

use super::{
    Naive,
    kinds::{kind, truth},
    mail::mail,
    operators::{Family, family},
    values::{blank, looks_decimal, written},
};

impl Naive<'_> {
    /// Returns the string in `text`, which is a string or an object with one string per language.
    pub(super) fn said(&self, text: &Value) -> Option<String> {
        if let Some(text) = text.as_str() {
            return Some(text.to_owned());
        }
        let object = text.as_object()?;
        if !object.values().all(|text| text.is_string() || text.is_null()) {
            return None;
        }
        let mut texts = vec![];
        for (tag, text) in object {
            if let Some(text) = text.as_str().filter(|text| !blank(text)) {
                texts.push((tag.trim().to_lowercase().replace('_', "-"), tag, text));
            }
        }
        texts.sort_by_key(|(_, tag, _)| *tag);
        for wanted in [self.locale.as_str(), "default", "en"] {
            if wanted.is_empty() {
                continue;
            }
            let general = language(wanted);
            let exact = texts.iter().find(|(tag, ..)| tag == wanted);
            let broad = texts.iter().find(|(tag, ..)| tag == general);
            let similar = texts.iter().find(|(tag, ..)| language(tag) == general);
            if let Some((.., text)) = exact.or(broad).or(similar) {
                return Some((*text).to_owned());
            }
        }
        texts.first().map(|(.., text)| (*text).to_owned())
    }

    /// Returns the decimal separator and the separator of thousands, or `None` without a known language.
    fn separators(&self) -> Option<(char, char)> {
        match language(&self.locale) {
            "de" => Some((',', '.')),
            "en" => Some(('.', ',')),
            _ => None,
        }
    }

    pub(super) fn word(&self, yes: bool) -> &'static str {
        match (language(&self.locale), yes) {
            ("de", true) => "Ja",
            ("de", false) => "Nein",
            (_, true) => "Yes",
            (_, false) => "No",
        }
    }

    /// Returns a date as it is written in JSON.
    fn iso(&self, text: &str) -> Option<String> {
        let (separator, order) = match language(&self.locale) {
            "de" => ('.', [2, 1, 0]),
            "en" if self.locale == "en-in" => ('/', [2, 1, 0]),
            "en" => ('/', [2, 0, 1]),
            _ => return None,
        };
        let parts: Vec<&str> = text.trim().split(separator).map(str::trim).collect();
        let [year, month, day] = order.map(|at| parts.get(at).copied().unwrap_or_default());
        let fits = |part: &str, lengths: &[usize]| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_date = parts.len() == 3 && fits(year, &[4]) && fits(month, &[1, 2]) && fits(day, &[1, 2]);
        is_date.then(|| format!("{year}-{month:0>2}-{day:0>2}"))
    }

    /// Returns whether an answer means yes or no.
    pub(super) fn truth(&self, answer: &Value) -> Option<bool> {
        let word = |yes| answer.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case(self.word(yes)));
        truth(answer).or_else(|| [true, false].into_iter().find(|yes| word(*yes)))
    }

    pub(super) fn date(&self, question: &Value, answer: &Value) -> String {
        let date = written(&self.as_read(question, answer));
        let (year, month, day) = (&date[..4], &date[5..7], &date[8..]);
        match language(&self.locale) {
            "de" => format!("{day}.{month}.{year}"),
            "en" if self.locale == "en-in" => format!("{day}/{month}/{year}"),
            "en" => format!("{month}/{day}/{year}"),
            _ => date.clone(),
        }
    }

    /// Returns the plain decimal number that an answer stands for, or the problem with the answer.
    pub(super) fn plain_number(&self, question: &Value, answer: &Value) -> Result<String, &'static str> {
        if answer.is_number() {
            return Ok(answer.to_string());
        }
        let Some(written) = answer.as_str() else { return Err("not_a_number") };
        let (mut sign, mut text) = signed(written.trim());
        let mut locale = self.separators();
        let mut is_whole = false;
        if let Some(code) = money(question) {
            for name in [code, symbol(code)] {
                if let Some(rest) = text.strip_prefix(name).or_else(|| text.strip_suffix(name))
                    && !name.is_empty()
                {
                    text = rest.trim();
                    break;
                }
            }
            if sign.is_none() {
                (sign, text) = signed(text);
            }
            for end in [",--", ",-", ",–", ",—", ".--", ".-", ".–", ".—"] {
                let decimal = end.chars().next().unwrap();
                if let Some(rest) = text.strip_suffix(end)
                    && locale.is_none_or(|(expected, _)| expected == decimal)
                {
                    is_whole = true;
                    text = rest;
                    locale = Some(if decimal == ',' { (',', '.') } else { ('.', ',') });
                    break;
                }
            }
        }
        let plain = match locale {
            Some((decimal, group)) => local(text, decimal, group).filter(|plain| !is_whole || !plain.contains('.')),
            None if looks_decimal(text) && !text.starts_with(['+', '-']) => Some(text.to_owned()),
            None => None,
        };
        let digits_after = text.split_once('.').map(|(_, digits)| digits);
        let is_ambiguous = digits_after.is_some_and(|digits| digits.len() == 3 && digits.parse::<u16>().is_ok());
        let is_like_a_number = text.contains(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| "0123456789.,'’ \u{a0}\u{202f}".contains(c));
        match plain {
            Some(_) if locale.is_none() && is_ambiguous => Err("ambiguous_number"),
            Some(plain) => Ok(format!("{}{plain}", if sign == Some('-') { "-" } else { "" })),
            None if self.separators().is_none() && written.contains(',') => Err("number_with_comma"),
            None if self.separators().is_some() && is_like_a_number => Err("wrong_grouping"),
            None => Err("not_a_number"),
        }
    }

    /// Returns the answer as conditions read it: a number, a date or a boolean that is typed in the language of the form
    /// in its usual spelling, and an email address with its domain in lower case.
    pub(super) fn as_read(&self, question: &Value, answer: &Value) -> Value {
        match (kind(question), answer) {
            ("date", Value::String(text)) => return self.iso(text).map_or(answer.clone(), Value::from),
            ("checkbox" | "consent" | "yes_no", _) => return self.truth(answer).map_or(answer.clone(), Value::from),
            ("email", Value::String(text)) => return mail(text.trim()).into(),
            _ => {}
        }
        let is_typed = family(question) == Family::Number && answer.is_string();
        is_typed.then(|| self.plain_number(question, answer).ok()).flatten().map_or(answer.clone(), Value::from)
    }

    /// Returns the answer to a number question as it is displayed.
    pub(super) fn amount(&self, question: &Value, answer: &Value) -> String {
        let text = written(answer);
        let Some(code) = money(question) else { return text };
        let Ok(number) = self.plain_number(question, answer) else { return text };
        if number.contains(['e', 'E']) {
            return text;
        }
        let minus = if number.starts_with('-') { "-" } else { "" };
        let (whole, fraction) =
            number.trim_start_matches('-').split_once('.').unwrap_or((number.trim_start_matches('-'), ""));
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let mut grouped = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if let Some((_, group)) = self.separators()
                && at > 0
                && (whole.len() - at) % 3 == 0
            {
                grouped.push(group);
            }
            grouped.push(digit);
        }
        let decimal = self.separators().map_or('.', |(decimal, _)| decimal);
        let amount = format!("{grouped}{decimal}{fraction:0<2}");
        match (symbol(code), language(&self.locale)) {
            ("", _) => format!("{minus}{amount}"),
            (sign, "en") if sign.len() == 3 && sign.is_ascii() => format!("{minus}{sign} {amount}"),
            (sign, "en") => format!("{minus}{sign}{amount}"),
            (sign, _) => format!("{minus}{amount} {sign}"),
        }
    }
}

fn language(tag: &str) -> &str {
    tag.split('-').next().unwrap()
}

/// Returns the code of the currency of an amount of money, which may be empty. Returns `None` for a number that is not
/// an amount of money.
pub(super) fn money(question: &Value) -> Option<&str> {
    let code = question["currency"].as_str().map(str::trim);
    code.or((question["format"] == "currency").then_some(""))
}

fn symbol(code: &str) -> &str {
    if code == "EUR" { "€" } else { code }
}

fn signed(text: &str) -> (Option<char>, &str) {
    match text.chars().next() {
        Some('+') => (Some('+'), &text[1..]),
        Some(sign @ ('-' | '\u{2212}')) => (Some('-'), &text[sign.len_utf8()..]),
        _ => (None, text),
    }
}

/// Returns the plain decimal number in text with these separators.
fn local(text: &str, decimal: char, group: char) -> Option<String> {
    let all = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    let mut parts = text.split(decimal);
    let (whole, fraction) = (parts.next().unwrap(), parts.next());
    if parts.next().is_some() || !fraction.is_none_or(all) {
        return None;
    }
    let mut separators: Vec<char> = whole.chars().filter(|c| !c.is_ascii_digit()).collect();
    separators.dedup();
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    match separators.as_slice() {
        [] if all(whole) => {}
        [one] if [group, ' ', '\u{a0}', '\u{202f}'].contains(one) => {
            let groups: Vec<usize> = whole.split(*one).map(str::len).collect();
            let first_fits = (1..=3).contains(&groups[0]) && !whole.starts_with('0');
            if !first_fits || groups[1..].iter().any(|length| *length != 3) {
                return None;
            }
        }
        _ => return None,
    }
    Some(fraction.map_or_else(|| digits.clone(), |fraction| format!("{digits}.{fraction}")))
}

/// Returns a problem if the text violates the length limits or the pattern. Knows only the patterns that tests use.
pub(super) fn limit(question: &Value, text: &str) -> Option<&'static str> {
    let text = text.trim();
    let count = text.chars().count() as u64;
    let length = |name: &str| question[name].as_u64();
    if length("maxLength").is_some_and(|max| count > max) {
        return Some("too_long");
    }
    if length("minLength").is_some_and(|min| count < min) {
        return Some("too_short");
    }
    let fits = match question["pattern"].as_str() {
        Some("^[0-9]{5}$") => text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit()),
        Some("^\\+") => text.starts_with('+'),
        Some("a|5") => text.contains(['a', '5']),
        _ => true,
    };
    (!fits).then_some("pattern_mismatch")
}
