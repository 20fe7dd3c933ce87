//! Replaces placeholders in text.

use serde_json::Value;

use super::{Naive, keys::spelling};

impl Naive<'_> {
    pub(super) fn placeholder_value(&self, key: &str, pages: &[usize], answers: &Value) -> Option<String> {
        if key == "$score" && !self.is_of_a_question(key) {
            return Some(self.score(pages, answers).to_string());
        }
        let key = self.spelling_of_placeholder(key);
        let mut value = None;
        for page in pages {
            for (id, question) in &self.pages[*page].questions {
                if self.key(question) == Some(key)
                    && let Some(answer) = self.visible(id, pages, answers)
                {
                    value = Some(self.display_text(question, answer));
                }
            }
        }
        if value.is_none()
            && let Some(answer) = self.visible(key, pages, answers)
        {
            value = Some(self.display_text(self.question(key).unwrap().1, answer));
        }
        if value.is_none() && key == "name" {
            let parts =
                ["first_name", "last_name"].iter().filter_map(|part| self.placeholder_value(part, pages, answers));
            let parts: Vec<String> = parts.collect();
            value = (!parts.is_empty()).then(|| parts.join(" "));
        }
        value
    }

    fn spelling_of_placeholder<'k>(&self, key: &'k str) -> &'k str {
        if self.is_of_a_question(key) { key } else { spelling(key) }
    }

    pub(super) fn knows(&self, key: &str) -> bool {
        let spelling = spelling(key);
        let mapped = |key: &str| {
            self.pages.iter().any(|page| page.questions.iter().any(|(_, question)| self.key(question) == Some(key)))
        };
        key == "$score"
            || self.is_of_a_question(key)
            || mapped(spelling)
            || spelling == "name" && (mapped("first_name") || mapped("last_name"))
    }

    pub(super) fn is_of_a_question(&self, key: &str) -> bool {
        let mapped = |(_, question): &(&str, &Value)| self.key(question) == Some(key);
        self.question(key).is_some() || self.pages.iter().any(|page| page.questions.iter().any(mapped))
    }

    pub(super) fn fill(
        &self,
        text: &str,
        pages: &[usize],
        answers: &Value,
        fallback: &str,
        escape: fn(&str) -> String,
    ) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut filled = String::new();
        let mut at = 0;
        while at < chars.len() {
            if chars[at] == '{'
                && let Some(length) = chars[at + 1..].iter().position(|c| *c == '{' || *c == '}')
                && chars[at + 1 + length] == '}'
            {
                let inner: String = chars[at + 1..at + 1 + length].iter().collect();
                let whole = inner.trim();
                let mut key = whole;
                let mut fallback = fallback;
                let first = whole.split('|').next().unwrap().trim_end();
                if !self.knows(whole) && whole.contains('|') {
                    key = first;
                    fallback = whole[whole.find('|').unwrap() + 1..].trim();
                }
                let short = first.chars().count() <= 64 && whole.chars().count() <= 200;
                let breaks = inner.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
                if !first.is_empty() && short && !breaks && (self.knows(key) || key != whole) {
                    let value = Some(key).filter(|key| self.knows(key));
                    let value = value.and_then(|key| self.placeholder_value(key, pages, answers));
                    filled.push_str(&escape(&value.unwrap_or_else(|| fallback.to_owned())));
                    at += length + 2;
                    continue;
                }
            }
            filled.push(chars[at]);
            at += 1;
        }
        filled
    }
}
