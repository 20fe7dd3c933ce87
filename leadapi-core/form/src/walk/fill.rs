//! Replacement of placeholders with answers.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Walk;
use crate::{
    placeholder::{FALLBACK, Piece, pieces},
    plan::{NAME_PARTS, Questionnaire},
};

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

impl Questionnaire<'_> {
    /// Returns the key and the fallback of a placeholder. If the whole text is the key of a question, it has no
    /// fallback, even if it contains `|`.
    pub(crate) fn placeholder<'t>(&self, text: &'t str) -> (&'t str, Option<&'t str>) {
        match text.split_once(FALLBACK) {
            Some((key, fallback)) if !self.is_question_key(text) => (key.trim_end(), Some(fallback.trim())),
            _ => (text, None),
        }
    }
}

impl<'a> Walk<'a> {
    /// Replaces the placeholders in `text`, such as the message of an ending.
    ///
    /// `{key}` stands for the last answer on the path to a question mapped to `key`. If there is none, it stands for
    /// the answer on the path to the question whose id is `key`. An answer is inserted as the text that
    /// [`StepQuestion::text`](super::StepQuestion::text) returns. A known key without an answer is replaced by
    /// `fallback`, and a placeholder with an unknown key is left unchanged. `{key|text}` has its own fallback,
    /// which may be empty and also replaces an unknown key. `{name}` stands for the first and the last name if no
    /// question mapped to `name` is answered. `{$score}` stands for the [score](Self::score). Placeholders in inserted
    /// text are not expanded, and every inserted text is escaped.
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
}
