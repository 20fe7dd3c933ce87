//! Rules for text that is shown or logged: tokens in it, and characters that are not safe to print.

/// The prefix of every token (contract 5.1).
pub const TOKEN_PREFIX: &str = "pak_";

/// The text that replaces a token.
pub const TOKEN_MASK: &str = "pak_[token]";

/// Returns the position at which a token may begin: that of the first [`TOKEN_PREFIX`]. Ignores case, because a token in
/// the wrong case still reveals most of the secret.
///
/// ```
/// use leadapi_core::text::find_token;
///
/// assert_eq!(find_token(b"/leads/PAK_0123"), Some(7));
/// assert_eq!(find_token(b"/leads/opak"), None);
/// ```
pub fn find_token(text: &[u8]) -> Option<usize> {
    text.windows(TOKEN_PREFIX.len()).position(|window| window.eq_ignore_ascii_case(TOKEN_PREFIX.as_bytes()))
}

/// Returns whether the text contains a token, in any case. The prefix alone does not count, because a message may mention
/// it.
///
/// ```
/// use leadapi_core::text::contains_token;
///
/// assert!(contains_token("Bearer pak_0123") && contains_token("PAK_0123"));
/// assert!(!contains_token("send it as Bearer pak_..."));
/// ```
pub fn contains_token(text: &str) -> bool {
    let begins = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    after_prefixes(text).any(|rest| begins(&rest))
}

/// Replaces each token in the text, in any case, and each prefix of a token, with [`TOKEN_MASK`].
///
/// ```
/// assert_eq!(leadapi_core::text::mask_tokens("{\"a\":\"pak_0123-x\"}"), "{\"a\":\"pak_[token]\"}");
/// ```
pub fn mask_tokens(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = find_token(rest.as_bytes()) {
        masked += rest.get(..at).unwrap_or_default();
        masked += TOKEN_MASK;
        let token = rest.get(at + TOKEN_PREFIX.len()..).unwrap_or_default();
        rest = token.strip_prefix("[token]").unwrap_or(token).trim_start_matches(is_token_char);
    }
    masked + rest
}

/// Returns the texts that follow each prefix of a token.
fn after_prefixes(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.get(find_token(rest.as_bytes())? + TOKEN_PREFIX.len()..)?;
        Some(rest)
    })
}

/// Returns whether a character may be part of a token: visible ASCII, except characters that end a token in JSON, HTML
/// or a header.
fn is_token_char(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | ',' | ';' | ')' | ']' | '}')
}

/// Returns whether the character is a tab or a character that some software treats as a line break.
///
/// ```
/// assert!("\n\t\u{2028}".chars().all(leadapi_core::text::is_line_break));
/// ```
pub const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether the character reorders the text around it (UAX #9).
///
/// ```
/// assert!(leadapi_core::text::is_bidi_control('\u{202e}'));
/// ```
pub const fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a terminal or a log might interpret the character instead of displaying it: control characters, line
/// breaks, bidirectional controls, the byte order mark and the zero-width space.
///
/// ```
/// use leadapi_core::text::is_unsafe;
///
/// assert!(is_unsafe('\u{1b}') && is_unsafe('\u{202e}') && !is_unsafe('é'));
/// ```
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_line_break(c) || is_bidi_control(c) || matches!(c, '\u{200b}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_masked_text_contains_no_token(text in "([pP][aA][kK]_|[a-c]|\"|_|-|,|é|\\[token\\]| ){0,12}") {
            let masked = mask_tokens(&text);
            prop_assert!(!contains_token(&masked), "{}", masked);
            prop_assert_eq!(mask_tokens(&masked), masked.clone());
            prop_assert_eq!(find_token(text.as_bytes()).is_some(), masked.contains(TOKEN_MASK));
            if find_token(text.as_bytes()).is_none() {
                prop_assert_eq!(masked, text);
            }
        }

        #[test]
        fn the_masked_text_keeps_what_surrounds_a_token(before in "[a-o \"]{0,5}", token in "[A-Za-z0-9_-]{1,50}") {
            let text = format!("{before}pak_{token}, after");
            prop_assert!(contains_token(&text));
            prop_assert_eq!(mask_tokens(&text), format!("{before}{TOKEN_MASK}, after"));
        }

        #[test]
        fn letters_are_safe(text in "\\p{L}{0,20}") {
            prop_assert!(!text.contains(is_unsafe));
        }
    }
}
