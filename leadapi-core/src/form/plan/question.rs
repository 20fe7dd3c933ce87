//! Compiled questions, and the validation of answers.

use std::borrow::Cow;

use super::{UniqueIds, non_blank};
use crate::{
    form::{
        answer::Answer,
        extensible_enum::QuestionType,
        number::Number,
        question::{Choice, Question},
    },
    validate::lead_field::{EMAIL, PHONE},
};

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

/// The kind of answer that a question takes.
#[derive(Debug)]
pub(in crate::form) enum QuestionKind<'r> {
    Choice(Options<'r>),
    Number {
        min: Option<f64>,
    },
    Text,
    Email,
    Phone,
    /// A type that is not in the contract. Any answer is accepted.
    Unknown,
}

/// The options of a choice, in record order.
#[derive(Debug)]
pub(in crate::form) struct Options<'r> {
    all: Vec<OptionPlan<'r>>,
    /// The indices of the options, sorted by id. Empty for short lists, which are scanned linearly because that is
    /// faster.
    sorted: Vec<usize>,
}

/// A compiled option.
#[derive(Debug)]
pub(in crate::form) struct OptionPlan<'r> {
    pub id: &'r str,
    /// The label, or the id if the option has no label.
    pub label: &'r str,
    pub score: i64,
}

/// A valid answer to a question, or no answer.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::form) enum Slot<'a> {
    #[default]
    Empty,
    /// The index of the option among the compiled options.
    Chosen(usize),
    Number(f64, &'a Answer),
    /// A string without surrounding white space.
    Text(&'a str),
    /// An answer to a question of an unknown type.
    Any(&'a Answer),
}

/// A problem with the answer to a question, which prevents a walk from leaving the question's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The question is required but has no answer.
    #[error("needs an answer")]
    Missing,
    /// The answer is not the id of an option.
    #[error("is not one of the options")]
    NoSuchOption,
    /// The answer is not a decimal number.
    #[error("must be a number")]
    NotANumber,
    /// The number contains a comma, whose meaning depends on the locale. A host that knows the locale can convert the
    /// number.
    #[error("must be a number without a comma")]
    NumberWithComma,
    /// The number exceeds the range of a double.
    #[error("is too large")]
    NotFinite,
    /// The number is less than the question's `min`.
    #[error("is below the minimum")]
    BelowMin,
    /// The answer is not a string.
    #[error("must be text")]
    NotAText,
    /// The text is not an email address (contract D4).
    #[error("must be an e-mail address")]
    NotAnEmail,
    /// The text is not a phone number (contract D4).
    #[error("must be a phone number")]
    NotAPhone,
}

impl Problem {
    /// Returns the stable, machine-readable name of the problem.
    ///
    /// ```
    /// assert_eq!(leadapi_core::form::Problem::BelowMin.as_str(), "below_min");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NoSuchOption => "no_such_option",
            Self::NotANumber => "not_a_number",
            Self::NumberWithComma => "number_with_comma",
            Self::NotFinite => "not_finite",
            Self::BelowMin => "below_min",
            Self::NotAText => "not_a_text",
            Self::NotAnEmail => "not_an_email",
            Self::NotAPhone => "not_a_phone",
        }
    }
}

impl<'r> QuestionPlan<'r> {
    pub(super) fn new(id: &'r str, page: usize, at: usize, record: &'r Question) -> Self {
        Self {
            id,
            page,
            at,
            kind: QuestionKind::new(record),
            label: record.label.as_str().unwrap_or_default(),
            required: record.required.get() == Some(&true),
            key: non_blank(&record.mapped_key),
            record,
        }
    }

    /// Validates an answer.
    #[inline]
    pub(in crate::form) fn read<'a>(&self, answer: Option<&'a Answer>) -> Result<Slot<'a>, Problem> {
        match answer {
            Some(answer) if answer.is_filled() => self.kind.read(answer),
            _ if self.required => Err(Problem::Missing),
            _ => Ok(Slot::Empty),
        }
    }

    /// Formats a valid answer for display: the label of an option, a number as it was written, or a string.
    pub(in crate::form) fn text<'a>(&self, slot: &Slot<'a>) -> Option<Cow<'a, str>>
    where
        'r: 'a,
    {
        Some(match slot {
            Slot::Empty => return None,
            Slot::Chosen(index) => self.kind.option(*index)?.label.into(),
            Slot::Number(_, answer) | Slot::Any(answer) => answer.text(),
            Slot::Text(text) => (*text).into(),
        })
    }
}

impl<'r> QuestionKind<'r> {
    fn new(question: &'r Question) -> Self {
        match question.kind.get() {
            Some(QuestionType::SingleChoice) => {
                let mut ids = UniqueIds::default();
                let option = |choice: &'r Choice| Some(OptionPlan::new(ids.claim(&choice.id)?, choice));
                Self::Choice(Options::new(question.options.items().filter_map(option).collect()))
            }
            Some(QuestionType::Number) => Self::Number { min: question.min.get().and_then(Number::as_f64) },
            Some(QuestionType::ShortText) => Self::Text,
            Some(QuestionType::Email) => Self::Email,
            Some(QuestionType::Phone) => Self::Phone,
            Some(QuestionType::Other(_)) | None => Self::Unknown,
        }
    }

    pub(in crate::form) fn option(&self, index: usize) -> Option<&OptionPlan<'r>> {
        if let Self::Choice(options) = self { options.get(index) } else { None }
    }

    fn read<'a>(&self, answer: &'a Answer) -> Result<Slot<'a>, Problem> {
        match (self, answer) {
            (Self::Choice(options), Answer::Text(id)) => {
                options.find(id).map(Slot::Chosen).ok_or(Problem::NoSuchOption)
            }
            (Self::Choice(_), _) => Err(Problem::NoSuchOption),
            (Self::Number { min }, _) => {
                let number = read_number(answer)?;
                // A `min` that is not a number is ignored.
                if min.is_some_and(|min| number < min) {
                    return Err(Problem::BelowMin);
                }
                Ok(Slot::Number(number, answer))
            }
            (Self::Unknown, _) => Ok(Slot::Any(answer)),
            (Self::Email, Answer::Text(text)) if !EMAIL.rule.allows(text) => Err(Problem::NotAnEmail),
            (Self::Phone, Answer::Text(text)) if !PHONE.rule.allows(text) => Err(Problem::NotAPhone),
            (Self::Text | Self::Email | Self::Phone, Answer::Text(text)) => Ok(Slot::Text(text.trim())),
            (Self::Text | Self::Email | Self::Phone, _) => Err(Problem::NotAText),
        }
    }
}

impl<'r> Options<'r> {
    /// The maximum number of options for which a linear scan is used instead of a binary search.
    const MAX_LINEAR_SCAN: usize = 16;

    fn new(all: Vec<OptionPlan<'r>>) -> Self {
        let mut sorted = Vec::new();
        if all.len() > Self::MAX_LINEAR_SCAN {
            sorted.extend(0..all.len());
            sorted.sort_unstable_by_key(|index| all.get(*index).map(|option| option.id));
        }
        Self { all, sorted }
    }

    /// Returns the index of the option with this id.
    #[inline]
    pub(in crate::form) fn find(&self, id: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.all.iter().position(|option| option.id == id);
        }
        let found = self.sorted.binary_search_by_key(&Some(id), |index| self.all.get(*index).map(|option| option.id));
        self.sorted.get(found.ok()?).copied()
    }
}

impl<'r> std::ops::Deref for Options<'r> {
    type Target = [OptionPlan<'r>];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl<'r> OptionPlan<'r> {
    fn new(id: &'r str, choice: &'r Choice) -> Self {
        Self {
            id,
            label: non_blank(&choice.label).map_or(id, str::trim),
            score: choice.score.get().and_then(Number::as_i64).unwrap_or(0),
        }
    }
}

fn read_number(answer: &Answer) -> Result<f64, Problem> {
    match answer {
        Answer::Number(number) => number.as_f64().ok_or(Problem::NotFinite),
        Answer::Text(text) if text.contains(',') => Err(Problem::NumberWithComma),
        Answer::Text(text) => {
            let number = decimal(text).ok_or(Problem::NotANumber)?;
            if number.is_finite() { Ok(number) } else { Err(Problem::NotFinite) }
        }
        Answer::Null | Answer::Bool(_) | Answer::Other(_) => Err(Problem::NotANumber),
    }
}

/// Parses a decimal number to the nearest double. Accepts only a sign, digits, a decimal point and an exponent.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    // For text with only these characters, Rust's parser accepts exactly the decimal numbers. The check excludes `inf`
    // and `nan`.
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimal_numbers_are_parsed() {
        for (text, number) in
            [("5", 5.0_f64), (" -5. ", -5.0), ("+.5", 0.5), ("1e3", 1000.0), ("007", 7.0), ("1E-2", 0.01)]
        {
            assert_eq!(decimal(text).map(f64::to_bits), Some(number.to_bits()), "{text}");
        }
        for text in
            ["", " ", "+", ".", "e", "1e", "1e+", "--1", "0x10", "inf", "nan", "infinity", "1_000", "1 000", "٣"]
        {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(decimal("1e400"), Some(f64::INFINITY));
    }
}
