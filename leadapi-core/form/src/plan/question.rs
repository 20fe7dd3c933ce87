//! Compiled questions, and the values of their answers.

use std::borrow::Cow;

use super::{
    kind::QuestionKind,
    limits::{Limits, PatternBudget},
    non_blank,
    slot::Slot,
    structured,
};
use crate::{
    Question,
    answer::Answer,
    date,
    locale::{choose, locale_of},
    policy::Policy,
    problem::Problem,
    web_url::with_scheme,
};
use leadapi_model::locale::Locale;

/// A compiled question.
#[derive(Debug)]
pub(crate) struct QuestionPlan<'r> {
    pub id: &'r str,
    pub page: usize,
    /// The index of the question in its page's `fields`.
    pub at: usize,
    pub kind: QuestionKind<'r>,
    /// The length and the pattern that a text answer must have. A proof cannot always find such an answer.
    pub limits: Option<Box<Limits>>,
    pub locale: Locale,
    pub label: Cow<'r, str>,
    pub required: bool,
    /// The mapped key as the author wrote it.
    pub written_key: Option<&'r str>,
    /// The key of the lead field that the answers can fill, or else the mapped key.
    pub key: Option<&'r str>,
    pub record: &'r Question,
}

impl<'r> QuestionPlan<'r> {
    pub(super) fn new(
        id: &'r str,
        (page, at): (usize, usize),
        record: &'r Question,
        policy: &Policy,
        budget: &mut PatternBudget,
    ) -> Self {
        let kind = QuestionKind::new(record, policy);
        // A visitor never sees a hidden question, so it cannot be required.
        let required = record.required.get() == Some(&true) && !matches!(kind, QuestionKind::Hidden);
        Self {
            id,
            page,
            at,
            limits: Some(record).filter(|_| kind.is_text()).and_then(|record| Limits::new(record, budget)),
            locale: locale_of(policy),
            label: choose(&record.label, policy).unwrap_or_default(),
            kind,
            required,
            written_key: non_blank(&record.mapped_key),
            key: None,
            record,
        }
    }

    /// Validates an answer.
    pub(crate) fn read<'a>(&self, answer: Option<&'a Answer>) -> Result<Slot<'a>, Problem> {
        let slot = match answer {
            Some(answer) if answer.is_filled() => self.kind.read(self.record, self.locale, answer)?,
            _ => Slot::Empty,
        };
        if let (Some(limits), Slot::Text(text) | Slot::Email(text)) = (&self.limits, slot) {
            limits.check(text)?;
        }
        if self.required && matches!(slot, Slot::Empty) { Err(Problem::Missing) } else { Ok(slot) }
    }

    /// Formats a valid answer for display. Returns `None` if there is no answer.
    pub(crate) fn text<'a>(&'a self, slot: &Slot<'a>) -> Option<Cow<'a, str>> {
        Some(match slot {
            Slot::Empty | Slot::Opaque => return None,
            Slot::Chosen(index) => (&*self.kind.option(*index)?.label).into(),
            Slot::Many(ids) => {
                let labels: Vec<&str> = self.kind.options()?.with_ids(ids).map(|option| &*option.label).collect();
                labels.join(", ").into()
            }
            Slot::Number(_, answer) => match &self.kind {
                QuestionKind::Number { style, .. } => style.text(answer),
                _ => answer.text(),
            },
            Slot::Any(answer) => match &self.kind {
                QuestionKind::Host(own) => own.format(self.record, answer).into(),
                _ => answer.text(),
            },
            Slot::Date(day) => date::write(*day, self.locale).into(),
            Slot::Bool(yes) => self.locale.word(*yes).into(),
            Slot::Text(text) if matches!(self.kind, QuestionKind::Url) => with_scheme(text),
            Slot::Text(text) | Slot::Email(text) => (*text).into(),
            Slot::Structured(answer) => structured::text(matches!(self.kind, QuestionKind::File), answer)?.into(),
        })
    }

    /// Returns a valid answer to a number question as the text of a JSON number.
    pub(crate) fn decimal<'a>(&self, answer: &'a Answer) -> Option<Cow<'a, str>> {
        match &self.kind {
            QuestionKind::Number { whole: false, style, .. } => style.read(answer).ok(),
            _ => None,
        }
    }

    /// Returns the sum of the values of the chosen options as the text of a decimal number, or `None` if none of them
    /// has a value.
    pub(crate) fn option_value(&self, slot: &Slot<'_>) -> Option<String> {
        match slot {
            Slot::Chosen(index) => sum(self.kind.option(*index)?.value),
            Slot::Many(ids) => sum(self.kind.options()?.with_ids(ids).filter_map(|option| option.value)),
            _ => None,
        }
    }

    /// Returns whether the question is mapped to this key, and its answers can fill the field with this key. An amount
    /// of money is no phone number.
    pub(crate) fn fills(&self, key: &str) -> bool {
        self.key == Some(key) && !(key == "phone" && self.kind.is_money())
    }

    /// Returns the score of a valid answer: the sum of the scores of the chosen options.
    pub(crate) fn score(&self, slot: &Slot<'_>) -> i64 {
        match slot {
            Slot::Chosen(index) => self.kind.option(*index).map_or(0, |option| option.score),
            Slot::Many(ids) => self.kind.options().map_or(0, |options| {
                options.with_ids(ids).fold(0, |sum: i64, option| sum.saturating_add(option.score))
            }),
            _ => 0,
        }
    }
}

/// Returns the decimal sum of the values: 19.9 and 9.9 are 29.8, although the sum of the doubles differs from it.
fn sum(values: impl IntoIterator<Item = f64>) -> Option<String> {
    let places = |value: f64| value.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let with_places = values.into_iter().map(|value| (value, places(value)));
    let (sum, places) = with_places.reduce(|(sum, most), (value, places)| (sum + value, most.max(places)))?;
    Some(format!("{sum:.places$}"))
}
