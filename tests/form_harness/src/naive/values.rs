//! Converts JSON values.

use std::collections::BTreeSet;

use serde_json::{Value, json};

pub(super) fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns whether a reader sees the character. Knows only the invisible characters that tests use.
fn is_visible(c: char) -> bool {
    let invisible = "\u{ad}\u{200b}\u{200d}\u{200e}\u{200f}\u{202e}\u{2060}\u{2066}\u{2800}\u{3164}\u{feff}";
    !c.is_whitespace() && !c.is_control() && !invisible.contains(c)
}

pub(super) fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !blank(text))
}

pub(super) fn objects(value: &Value) -> Vec<(usize, &Value)> {
    let Some(array) = value.as_array() else { return vec![] };
    array.iter().enumerate().filter(|(_, element)| element.is_object()).collect()
}

pub(super) fn options(question: &Value) -> Vec<(&str, &Value)> {
    let mut known = BTreeSet::new();
    let mut options = vec![];
    for (_, option) in objects(&question["options"]) {
        if let Some(id) = text_of(&option["id"])
            && known.insert(id)
        {
            options.push((id, option));
        }
    }
    options
}

pub(super) fn filled(answer: &Value) -> bool {
    match answer {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.chars().any(is_visible),
        Value::Array(array) => !array.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

pub(super) fn written(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

/// Returns whether the text is a decimal number: an optional sign, digits with an optional point, and an optional
/// exponent.
pub(super) fn looks_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| digits(exponent) && !exponent.is_empty())
}

pub(super) fn number_of(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) if looks_decimal(text.trim()) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

pub(super) fn whole_or_none(value: &Value) -> Option<i64> {
    let number = value.as_f64()?;
    value.as_i64().or_else(|| (number.fract() == 0.0 && number.abs() < 9e18).then_some(number as i64))
}

pub(super) fn whole(value: &Value) -> i64 {
    whole_or_none(value).unwrap_or(0)
}

/// Parses a number that a lead's `value` can hold (contract D4). Returns `None` for any other text, including an
/// integer that a 64-bit float cannot represent exactly.
pub(super) fn exact(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    let plain = text.trim_start_matches(['+', '-']);
    if plain.chars().all(|c| c.is_ascii_digit()) {
        let digits = plain.trim_start_matches('0');
        let back = format!("{:.0}", number.abs());
        if !(digits == back || (digits.is_empty() && number == 0.0)) {
            return None;
        }
    }
    Some(json!(number))
}
