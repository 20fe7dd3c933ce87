//! Compiled questions, and the values of their answers.

use std::borrow::Cow;

use super::{kind::QuestionKind, non_blank, problem::Problem, structured};
use crate::form::{answer::Answer, date, question::Question};

/// A compiled question.
#[derive(Debug)]
pub(in crate::form) struct QuestionPlan<'r> {
    pub id: &'r str,
    pub page: usize,
    /// The index of the question in its page's `fields`.
    pub at: usize,
    pub kind: QuestionKind<'r>,
    pub label: &'r str,
    pub required: bool,
    pub key: Option<&'r str>,
    pub record: &'r Question,
}

/// A valid answer to a question, or no answer.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::form) enum Slot<'a> {
    #[default]
    Empty,
    /// The index of the option among the compiled options.
    Chosen(usize),
    /// The ids of different options of a multiple choice, in the order of the answer.
    Many(&'a [String]),
    Number(f64, &'a Answer),
    /// The number of days since a fixed day.
    Date(i32),
    Bool(bool),
    /// A string without surrounding white space.
    Text(&'a str),
    /// An address or files. Only their text can be read.
    Structured(&'a Answer),
    /// An answer to a question of an unknown type, or to a hidden question.
    Any(&'a Answer),
}

impl<'r> QuestionPlan<'r> {
    pub(super) fn new(id: &'r str, page: usize, at: usize, record: &'r Question) -> Self {
        let kind = QuestionKind::new(record);
        // A visitor never sees a hidden question, so it cannot be required.
        let required = record.required.get() == Some(&true) && !matches!(kind, QuestionKind::Hidden);
        Self {
            id,
            page,
            at,
            kind,
            label: record.label.as_str().unwrap_or_default(),
            required,
            key: non_blank(&record.mapped_key),
            record,
        }
    }

    /// Validates an answer.
    #[inline]
    pub(in crate::form) fn read<'a>(&self, answer: Option<&'a Answer>) -> Result<Slot<'a>, Problem> {
        let slot = match answer {
            Some(answer) if answer.is_filled() => self.kind.read(answer)?,
            _ => Slot::Empty,
        };
        if self.required && matches!(slot, Slot::Empty) { Err(Problem::Missing) } else { Ok(slot) }
    }

    /// Formats a valid answer for display: the labels of options, a number as it was written, a date, a word for a
    /// boolean, or a string.
    pub(in crate::form) fn text<'a>(&self, slot: &Slot<'a>) -> Option<Cow<'a, str>>
    where
        'r: 'a,
    {
        Some(match slot {
            Slot::Empty => return None,
            Slot::Chosen(index) => self.kind.option(*index)?.label.into(),
            Slot::Many(ids) => {
                let labels: Vec<&str> = self.kind.options()?.with_ids(ids).map(|option| option.label).collect();
                labels.join(", ").into()
            }
            Slot::Number(_, answer) | Slot::Any(answer) => answer.text(),
            Slot::Date(day) => date::format(*day).into(),
            Slot::Bool(yes) => if *yes { "Yes" } else { "No" }.into(),
            Slot::Text(text) => (*text).into(),
            Slot::Structured(answer) => structured::text(matches!(self.kind, QuestionKind::File), answer)?.into(),
        })
    }

    /// Returns the score of a valid answer: the scores of its options.
    #[inline]
    pub(in crate::form) fn score(&self, slot: &Slot<'_>) -> i64 {
        match slot {
            Slot::Chosen(index) => self.kind.option(*index).map_or(0, |option| option.score),
            Slot::Many(ids) => self.kind.options().map_or(0, |options| {
                options.with_ids(ids).fold(0, |sum: i64, option| sum.saturating_add(option.score))
            }),
            _ => 0,
        }
    }
}
