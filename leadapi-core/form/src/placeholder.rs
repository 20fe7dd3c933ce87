//! Parsing of placeholders of the form `{key}`.

use super::web_url::web_url;

/// The maximum number of characters in a key.
const MAX_KEY_CHARS: usize = 64;

/// The maximum number of characters between the braces of a placeholder.
const MAX_PLACEHOLDER_CHARS: usize = 200;

/// The character between the key and the fallback of a placeholder.
pub(super) const FALLBACK: char = '|';

/// A part of text that may contain placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// An unmatched brace.
    Brace(&'t str),
    Key {
        key: &'t str,
        typed: &'t str,
    },
}

/// Splits text into its parts, in order. In nested braces, only the innermost pair forms a placeholder.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first != '{' && first != '}' {
            let (before, after) = rest.split_at(rest.find(['{', '}']).unwrap_or(rest.len()));
            rest = after;
            return Some(Piece::Text(before));
        }
        let (brace, after) = rest.split_at(1);
        if first == '{'
            && let Some(end) = after.find(['{', '}'])
            && let Some((inner, closed)) = after.split_at_checked(end)
            && let Some(beyond) = closed.strip_prefix('}')
            && let Some(key) = key(inner)
        {
            // The placeholder as written, including its braces.
            let typed = rest.get(..end + 2).unwrap_or(rest);
            rest = beyond;
            return Some(Piece::Key { key, typed });
        }
        rest = after;
        Some(Piece::Brace(brace))
    })
}

/// Returns the trimmed text between two braces, if it is on one line, has at most 200 characters, and has a key of 1 to
/// 64 characters.
fn key(inner: &str) -> Option<&str> {
    let whole = inner.trim();
    let key = whole.split(FALLBACK).next().unwrap_or_default().trim_end();
    let one_line = !inner.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
    let short = key.chars().nth(MAX_KEY_CHARS).is_none() && whole.chars().nth(MAX_PLACEHOLDER_CHARS).is_none();
    (!key.is_empty() && one_line && short).then_some(whole)
}

/// Returns the trimmed URL, if all of its placeholders are behind its host. Answers must not decide where visitors go.
pub(super) fn redirect_url(url: &str) -> Option<&str> {
    let url = url.trim();
    let is_key = |piece: &Piece<'_>| matches!(piece, Piece::Key { .. });
    let Some(start) = pieces(url).position(|piece| is_key(&piece)) else { return web_url(url) };
    let mut texts = pieces(url).filter_map(|piece| match piece {
        Piece::Text(text) | Piece::Brace(text) => Some(text),
        Piece::Key { .. } => None,
    });
    let before: String = texts.by_ref().take(start).collect();
    let has_host = web_url(&before) == Some(before.as_str()) && before.split_once("://")?.1.contains(['/', '?', '#']);
    let is_plain = |text: &str| !text.contains(|c: char| c.is_whitespace() || c.is_control());
    (has_host && texts.all(is_plain)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_the_original_text() {
        for text in ["", "a{b}c", "{{name}}", "{", "}", "{a{b}", "{ }", "{}", "{\n}", "{ä\u{2028}}", "{{{}}}", "{a|b}c"]
        {
            let joined: String = pieces(text)
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Brace(text) | Piece::Key { typed: text, .. } => text,
                })
                .collect();
            assert_eq!(joined, text);
        }
        let keys = |text: &str| pieces(text).filter(|piece| matches!(piece, Piece::Key { .. })).count();
        assert_eq!(["{{name}}", "{a{b}}", "{ a }", "{}", "{ }", "{a\nb}"].map(keys), [1, 1, 1, 0, 0, 0]);
        assert_eq!(["{a|}", "{a | b}", "{|b}", "{ |b}", "{a|b|c}", "{a|b\nc}"].map(keys), [1, 1, 0, 0, 1, 0]);
        assert_eq!(keys(&format!("{{a|{}}}", "k".repeat(198))), 1);
        assert_eq!(keys(&format!("{{a|{}}}", "k".repeat(199))), 0);
        assert_eq!(keys(&format!("{{{}}}", "k".repeat(64))), 1);
        assert_eq!(keys(&format!("{{{}}}", "k".repeat(65))), 0);
    }
}
