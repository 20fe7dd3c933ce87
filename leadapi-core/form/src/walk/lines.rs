//! Converts untrusted text to a single line.

use std::borrow::Cow;

use leadapi_core::text::is_line_break;

/// Trims text and joins its lines. Each run of line breaks and tabs becomes one space, and other control characters
/// become U+FFFD.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains(|c| is_line_break(c) || c.is_control()) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    let mut broken = false;
    for c in text.chars() {
        match c {
            c if is_line_break(c) => {
                if !broken {
                    line.push(' ');
                }
            }
            c if c.is_control() => line.push(char::REPLACEMENT_CHARACTER),
            c => line.push(c),
        }
        broken = is_line_break(c);
    }
    line.into()
}

/// Truncates text to at most `max` characters. Truncated text ends with an ellipsis, which is included in `max`.
pub(super) fn truncate(text: Cow<'_, str>, max: usize) -> Cow<'_, str> {
    if text.chars().nth(max).is_none() {
        return text;
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    (kept + "…").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_and_control_characters_are_replaced() {
        for (text, line) in [
            (" plain ", "plain"),
            ("a\r\nb", "a b"),
            ("a\n\n\tb", "a b"),
            ("a\u{2028}b\u{85}c\u{b}d", "a b c d"),
            ("a\0b\u{1b}", "a\u{fffd}b\u{fffd}"),
            ("\u{0}", "\u{fffd}"),
        ] {
            assert_eq!(one_line(text), line, "{text:?}");
        }
        assert_eq!(truncate("äöü".into(), 3), "äöü");
        assert_eq!(truncate("äöüß".into(), 3), "äö…");
    }
}
