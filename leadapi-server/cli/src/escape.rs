//! Escaping of text from records and files, to make it safe to print on a terminal.

use std::{borrow::Cow, fmt::Write};

use leadapi_core::text::is_unsafe;

/// Escapes characters that could control a terminal or reorder its text.
///
/// Control characters, line and paragraph separators, bidirectional controls and the byte order mark become Rust
/// escapes: `ESC` prints as `\u{1b}`, and a line break as `\n`. All other characters, including the backslash, stay
/// unchanged. The result is a single line.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Like [`escape`], but for JSON text. Uses JSON escapes, which preserve the JSON value, and keeps line breaks, which
/// occur only between JSON tokens.
pub(super) fn escape_json(json: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c != '\n' && is_unsafe(c);
    if !json.contains(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unsafe(c) {
            // Writing to a `String` never fails.
            write!(escaped, "\\u{:04x}", u32::from(c)).unwrap_or_default();
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_control_a_terminal_are_escaped() {
        for (text, escaped) in [
            ("\u{1b}[2J", r"\u{1b}[2J"),
            ("a\u{7}b", r"a\u{7}b"),
            ("a\nb\tc\r", r"a\nb\tc\r"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("gpj.\u{202e}exe", r"gpj.\u{202e}exe"),
            ("\u{2066}\u{2069}\u{200f}\u{61c}", r"\u{2066}\u{2069}\u{200f}\u{61c}"),
            ("\u{2028}\u{feff}", r"\u{2028}\u{feff}"),
            ("\0\u{7f}", r"\u{0}\u{7f}"),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    #[test]
    fn escaped_json_is_the_same_value() {
        let value = serde_json::json!({"a\u{202e}b": ["\u{1b}[2J", "\u{9b}", "\u{7f}\u{feff}\n", "é"]});
        let json = serde_json::to_string_pretty(&value).unwrap();
        let escaped = escape_json(&json);
        assert!(!escaped.contains(|c| c != '\n' && is_unsafe(c)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["", "Ann Müller", "مرحبا", "שלום", "日本", "👩‍👩‍👧", r"C:\path", "it's \"so\""]
        {
            assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
