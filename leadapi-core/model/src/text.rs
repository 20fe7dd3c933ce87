//! Safe output of untrusted text: finding and masking tokens, and removing characters that deceive a reader.
//!
//! Logs, error messages, recordings and forms contain text from callers and proxies. These rules keep secrets out of
//! that text and keep the text on one line. The rules for tokens recognize percent escapes such as `%5F` or `%255F`,
//! and JSON escapes such as `\u005f`. They ignore case, because a token in the wrong case reveals most of the secret.

mod escape;
mod known_token;

use std::{borrow::Cow, ops::Range};

use self::escape::unescape_first;
pub use self::known_token::mask_known_token;

/// The start of every token (contract 5.1).
pub(crate) const TOKEN_PREFIX: &str = "pak_";
/// The text that replaces a token.
const MASK: &str = "pak_[token]";

/// Returns the index of the first byte of the first token, or of the escape of that byte.
///
/// The prefix alone counts as a token, because a host's own verifier may accept tokens with any visible characters
/// after it.
///
/// ```
/// use leadapi_model::text::find_token;
///
/// assert_eq!(find_token(b"/leads/pak_0123"), Some(7));
/// assert_eq!(find_token(b"/leads/%50AK%5f0123"), Some(7));
/// assert_eq!(find_token(b"/leads/0123"), None);
/// ```
pub fn find_token(text: &[u8]) -> Option<usize> {
    find_prefix(text, 0).map(|prefix| prefix.start)
}

/// Returns whether the text contains a token. In contrast to [`find_token`], a letter, a digit, `_` or `-` must follow
/// the prefix, so that a message may contain `pak_...` or a masked token.
///
/// ```
/// use leadapi_model::text::contains_token;
///
/// assert!(contains_token(br#"{"name":"p\u0061k_0123"}"#));
/// assert!(!contains_token(b"malformed token, send it as Bearer pak_..."));
/// ```
pub fn contains_token(text: &[u8]) -> bool {
    let mut from = 0;
    while let Some(prefix) = find_prefix(text, from) {
        let next = text.get(prefix.end..).and_then(unescape_first);
        if next.is_some_and(|(byte, _)| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return true;
        }
        from = prefix.end;
    }
    false
}

/// Replaces each token with `pak_[token]`. Text that is already masked stays the same.
///
/// A token ends at white space, at a character that is not ASCII, and at a character that ends a value in JSON, HTML or
/// a header.
///
/// ```
/// use leadapi_model::text::mask_tokens;
///
/// assert_eq!(mask_tokens("Authorization: Bearer PAK_01x, or pak%5F02"), "Authorization: Bearer pak_[token], or pak_[token]");
/// ```
pub fn mask_tokens(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut from = 0;
    while let Some(prefix) = find_prefix(text.as_bytes(), from) {
        masked += text.get(from..prefix.start).unwrap_or_default();
        masked += MASK;
        let rest = text.get(prefix.end..).unwrap_or_default();
        let after = rest.strip_prefix("[token]").unwrap_or(rest).trim_start_matches(is_token_char);
        from = text.len() - after.len();
    }
    if from == 0 {
        return text.into();
    }
    masked += text.get(from..).unwrap_or_default();
    masked.into()
}

/// Returns whether a character could deceive a reader of a log or a terminal: control characters, line and paragraph
/// separators, bidirectional controls (UAX #9), the zero-width space and the byte order mark.
///
/// ```
/// use leadapi_model::text::is_unsafe;
///
/// assert!(is_unsafe('\u{1b}') && is_unsafe('\n') && is_unsafe('\u{202e}'));
/// assert!(!is_unsafe('ش') && !is_unsafe('\u{200d}'));
/// ```
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_line_break(c) || is_invisible(c)
}

/// Returns whether text has no visible character: it is empty, or consists of whitespace, control characters and
/// invisible characters, such as the zero-width space.
///
/// ```
/// use leadapi_model::text::is_blank;
///
/// assert!(is_blank(" \u{200b}\u{2060}") && is_blank("\u{3164}") && !is_blank("\u{200d}a"));
/// ```
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        // `Default_Ignorable_Code_Point` of Unicode, and the blank Braille pattern.
        let is_ignorable = matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
        is_ignorable || c.is_whitespace() || c.is_control()
    })
}

/// Returns whether the character reorders the text around it (UAX #9).
///
/// ```
/// assert!(leadapi_model::text::is_bidi_control('\u{202e}'));
/// ```
pub const fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Trims text, joins its lines, and removes [unsafe](is_unsafe) characters. Each run of line breaks and tabs becomes
/// one space, and each other control character becomes U+FFFD. Only blank text becomes empty. Text that consists of
/// invisible characters becomes U+FFFD.
///
/// ```
/// use leadapi_model::text::one_line;
///
/// assert_eq!(one_line(" first\r\n\tsecond\u{1b}[2J "), "first second\u{fffd}[2J");
/// ```
pub fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    let mut broken = false;
    for c in text.chars().filter(|c| !is_invisible(*c)) {
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
    match line.trim() {
        "" if !text.is_empty() => "\u{fffd}".into(),
        line => line.to_owned().into(),
    }
}

/// Returns whether the character is a bidirectional control, a zero-width space or a byte order mark.
const fn is_invisible(c: char) -> bool {
    is_bidi_control(c) || matches!(c, '\u{200b}' | '\u{feff}')
}

/// Returns whether the character is a tab or a character that some software treats as a line break.
const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns the first occurrence of the prefix of a token that starts at or after `from`.
fn find_prefix(text: &[u8], from: usize) -> Option<Range<usize>> {
    (from..text.len()).find_map(|start| {
        let rest = text.get(start..)?;
        let end = TOKEN_PREFIX.bytes().try_fold(0, |at, expected| {
            let (byte, length) = unescape_first(rest.get(at..)?)?;
            byte.eq_ignore_ascii_case(&expected).then_some(at + length)
        })?;
        Some(start..start + end)
    })
}

/// Returns whether a character may be part of a token: visible ASCII, except characters that end a token in JSON, HTML
/// or a header.
fn is_token_char(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | ',' | ';' | ')' | ']' | '}')
}

#[cfg(test)]
mod tests;
