//! Texts in several languages, amounts of money, and limits of texts, all without a locale.

use serde_json::Value;

use super::values::{blank, written};

/// Returns a text, which is a string or an object with a string for each language.
pub(super) fn said(text: &Value) -> Option<String> {
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
    for wanted in ["default", "en"] {
        if let Some((.., text)) = texts.iter().find(|(tag, ..)| tag == wanted) {
            return Some((*text).to_owned());
        }
        if let Some((.., text)) = texts.iter().find(|(tag, ..)| tag.split('-').next() == Some(wanted)) {
            return Some((*text).to_owned());
        }
    }
    texts.first().map(|(.., text)| (*text).to_owned())
}

/// Returns the answer to a number question as it is displayed.
pub(super) fn amount(question: &Value, answer: &Value) -> String {
    let text = written(answer);
    let currency = question["currency"].as_str().map(str::trim);
    if question["format"] != "currency" && currency.is_none() {
        return text;
    }
    let code = currency.unwrap_or("");
    let sign = if code == "EUR" { "€" } else { code };
    let mut number = text.as_str();
    if answer.is_string() && !code.is_empty() {
        for name in [code, sign] {
            if let Some(rest) = number.strip_prefix(name).or_else(|| number.strip_suffix(name)) {
                number = rest.trim();
                break;
            }
        }
    }
    let minus = if number.starts_with('-') { "-" } else { "" };
    let digits = number.trim_start_matches(['-', '+']);
    if digits.contains(['e', 'E']) {
        return text;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = if whole.is_empty() { "0" } else { whole };
    let amount = format!("{minus}{whole}.{fraction:0<2}");
    if sign.is_empty() { amount } else { format!("{amount} {sign}") }
}

/// Returns the text of an amount of money without its currency.
pub(super) fn without_currency<'t>(question: &Value, text: &'t str) -> &'t str {
    let text = text.trim();
    let Some(code) = question["currency"].as_str().map(str::trim).filter(|code| !code.is_empty()) else { return text };
    for name in [code, if code == "EUR" { "€" } else { code }] {
        if let Some(rest) = text.strip_prefix(name).or_else(|| text.strip_suffix(name)) {
            return rest.trim();
        }
    }
    text
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
