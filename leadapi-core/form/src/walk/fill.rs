//! Placeholders of the form `{key}`, which stand for answers.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Walk;
use crate::{
    plan::{NAME_PARTS, Questionnaire},
    web_url::web_url,
};

/// The maximum number of characters in a key.
const MAX_KEY_CHARS: usize = 64;

/// The maximum number of characters between the braces of a placeholder.
const MAX_PLACEHOLDER_CHARS: usize = 200;

/// The character between the key and the fallback of a placeholder.
const FALLBACK: char = '|';

/// The characters to percent-encode: all except the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The escaping that makes an inserted answer safe in its context. It does not change the surrounding text, which comes
/// from the form's author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Escape {
    /// No escaping, for plain-text contexts.
    #[default]
    Plain,
    /// Escaping for HTML text and quoted attributes: `&`, `<`, `>`, `"` and `'` become character references.
    Html,
    /// Escaping for a URL component: all characters except ASCII letters, digits and `-._~` are percent-encoded.
    Url,
}

impl Escape {
    fn push(self, text: &str, to: &mut String) {
        match self {
            Self::Plain => to.push_str(text),
            Self::Url => to.extend(utf8_percent_encode(text, RESERVED)),
            Self::Html => text.chars().for_each(|c| match c {
                '&' => to.push_str("&amp;"),
                '<' => to.push_str("&lt;"),
                '>' => to.push_str("&gt;"),
                '"' => to.push_str("&quot;"),
                '\'' => to.push_str("&#39;"),
                _ => to.push(c),
            }),
        }
    }
}

/// A part of text that may contain placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    Text(&'t str),
    /// An unmatched brace.
    Brace(&'t str),
    Key {
        key: &'t str,
        typed: &'t str,
    },
}

/// Splits text into its parts, in order. In nested braces, only the innermost pair forms a placeholder.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
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

impl Questionnaire<'_> {
    /// Returns the key and the fallback of a placeholder. If the whole text is a known key, it has no fallback, even if
    /// it contains `|`.
    pub(crate) fn placeholder<'t>(&self, text: &'t str) -> (&'t str, Option<&'t str>) {
        match text.split_once(FALLBACK) {
            Some((key, fallback)) if !self.is_known_key(text) => (key.trim_end(), Some(fallback.trim())),
            _ => (text, None),
        }
    }
}

/// Returns the trimmed URL, if all of its placeholders are behind its host. Answers must not decide where visitors go.
pub(crate) fn redirect_url(url: &str) -> Option<&str> {
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

impl<'a> Walk<'a> {
    /// Replaces the placeholders in `text`, such as the message of an ending.
    ///
    /// `{key}` stands for the last answer on the path to a question mapped to `key`. If there is none, it stands for
    /// the answer on the path to the question whose id is `key`. An answer is inserted as the text that
    /// [`StepQuestion::text`](super::StepQuestion::text) returns. A known key without an answer is replaced by
    /// `fallback`, and a placeholder with an unknown key is left unchanged. `{key|text}` has its own fallback,
    /// which may be empty and also replaces an unknown key. `{name}` stands for the first and the last name if no
    /// question mapped to `name` is answered. `{$score}` stands for the [score](Self::score). Placeholders in inserted text are not expanded, and every inserted text is escaped.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, Escape, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"fields":[{"id":"q","mappedKey":"name"},{"id":"r"}]}}"#,
    /// )?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let answers = Answers::new().with("q", "{r} & co");
    /// let walk = form.walk(&answers);
    /// assert_eq!(walk.fill("{name} ({r}) {x}", "-", Escape::Plain), "{r} & co (-) {x}");
    /// assert_eq!(walk.fill("Hello {r|Mr & Ms}{r|}", "-", Escape::Html), "Hello Mr &amp; Ms");
    /// assert_eq!(walk.fill("/?q={name}", "", Escape::Url), "/?q=%7Br%7D%20%26%20co");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn fill(&self, text: &str, fallback: &str, escape: Escape) -> String {
        self.fill_at(self.visits.len(), text, fallback, escape)
    }

    /// Replaces placeholders like [`fill`](Self::fill), but uses only the answers from the first `steps` pages of the
    /// path.
    pub(super) fn fill_at(&self, steps: usize, text: &str, fallback: &str, escape: Escape) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut score = None;
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) | Piece::Brace(text) => filled.push_str(text),
                Piece::Key { key, typed } => {
                    let (key, own) = self.form.placeholder(key);
                    let Some(key) = self.form.known_key(key) else {
                        match own {
                            Some(own) => escape.push(own, &mut filled),
                            None => filled.push_str(typed),
                        }
                        continue;
                    };
                    if self.form.is_score(key) {
                        escape.push(score.get_or_insert_with(|| self.score_at(steps).to_string()), &mut filled);
                        continue;
                    }
                    let value = self.placeholder_value(key, steps);
                    escape.push(value.as_deref().unwrap_or(own.unwrap_or(fallback)), &mut filled);
                }
            }
        }
        filled
    }

    /// Returns the formatted answer for a key.
    fn placeholder_value(&self, key: &str, steps: usize) -> Option<Cow<'a, str>> {
        let form = self.form;
        let text = |index: usize| form.questions.get(index)?.text(&self.slot(index));
        let step = |index: usize| {
            let page = form.questions.get(index)?.page;
            self.steps.get(page).copied().flatten().filter(|step| *step < steps)
        };
        let mapped = form.mapped.get(key).into_iter().flatten();
        let answered = mapped.filter_map(|index| Some((step(*index)?, *index, text(*index)?)));
        let last = answered.max_by_key(|(step, index, _)| (*step, *index)).map(|(.., text)| text);
        let own = || form.question(key).filter(|index| step(*index).is_some()).and_then(text);
        let parts = || if key == "name" { self.whole_name(steps) } else { None };
        last.or_else(own).or_else(|| parts().map(Cow::Owned))
    }

    /// Returns the answers for the first and the last name.
    fn whole_name(&self, steps: usize) -> Option<String> {
        let parts: Vec<_> = NAME_PARTS.iter().filter_map(|part| self.placeholder_value(part, steps)).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_character_is_escaped() {
        let escaped = |escape: Escape| {
            let mut text = String::new();
            escape.push(r#"a&<>"'é-._~ "#, &mut text);
            text
        };
        assert_eq!(escaped(Escape::Plain), r#"a&<>"'é-._~ "#);
        assert_eq!(escaped(Escape::Html), "a&amp;&lt;&gt;&quot;&#39;é-._~ ");
        assert_eq!(escaped(Escape::Url), "a%26%3C%3E%22%27%C3%A9-._~%20");
    }

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
