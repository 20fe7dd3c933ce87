//! Single-line text: untrusted input cannot start a new line.

use std::borrow::Cow;

/// Trims a text and joins its lines: each run of line breaks and tabs becomes a space, and other control characters are
/// replaced.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains(|c| breaks(c) || c.is_control()) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    let mut broken = false;
    for c in text.chars() {
        match c {
            c if breaks(c) => {
                if !broken {
                    line.push(' ');
                }
            }
            c if c.is_control() => line.push(char::REPLACEMENT_CHARACTER),
            c => line.push(c),
        }
        broken = breaks(c);
    }
    line.into()
}

/// Returns whether some software treats the character as a line break or white space.
fn breaks(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Truncates a text to `most` characters, the last of which is then an ellipsis.
pub(super) fn cut(text: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return text;
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    (kept + "…").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
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
        assert_eq!(cut("äöü".into(), 3), "äöü");
        assert_eq!(cut("äöüß".into(), 3), "äö…");
    }
}
