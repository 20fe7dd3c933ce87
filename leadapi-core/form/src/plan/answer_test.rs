//! Compiled tests of answers. An operator and its value are combined into a test when the form is compiled, so a walk
//! only evaluates the comparison.

use std::borrow::Cow;

use super::{
    amount::NumberStyle,
    bounds::{Bounds, decimal},
    comparison::Comparison,
    email::normal,
    kind::QuestionKind,
    slot::Slot,
};
use crate::{Number, Operand, answer::Answer, date};
use leadapi_model::locale::Locale;

/// A test of an answer, specific to the kind of its question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test<'r> {
    Filled,
    /// The option with this index is chosen.
    Chosen(usize),
    /// The option with this id is one of the chosen options.
    Includes(&'r str),
    Bool(bool),
    /// The number, date or score is within these inclusive bounds.
    Within(f64, f64),
    Text(Cow<'r, str>),
    Contains(Cow<'r, str>),
    StartsWith(Cow<'r, str>),
    EndsWith(Cow<'r, str>),
    /// At least one of the tests passes.
    Any(Box<[Self]>),
    /// All tests pass.
    All(Box<[Self]>),
}

impl<'r> Test<'r> {
    /// Creates the test. Returns `None` if no answer to a question of this kind can pass it.
    pub(crate) fn new(comparison: Comparison, kind: &QuestionKind<'_>, value: Option<&'r Operand>) -> Option<Self> {
        let test = Self::exact(comparison, kind, value)?;
        Some(if matches!(kind, QuestionKind::Email) { test.for_email() } else { test })
    }

    fn exact(comparison: Comparison, kind: &QuestionKind<'_>, value: Option<&'r Operand>) -> Option<Self> {
        if !comparison.applies_to(kind) {
            return None;
        }
        match comparison {
            Comparison::Filled => return Some(Self::Filled),
            Comparison::Checked => return Some(Self::Bool(true)),
            _ => {}
        }
        let value = value?;
        match comparison {
            Comparison::In => Self::any(value.elements().iter().filter_map(|value| Self::equal(kind, value))),
            Comparison::Contains => {
                let text = |value| Self::text(value).map(Self::Contains);
                let is_choice = kind.options().is_some();
                let tests =
                    value.elements().iter().map(|value| if is_choice { Self::equal(kind, value) } else { text(value) });
                Self::all(tests.collect::<Option<_>>()?)
            }
            Comparison::StartsWith => Self::text(value).map(Self::StartsWith),
            Comparison::EndsWith => Self::text(value).map(Self::EndsWith),
            Comparison::Equals => Self::equal(kind, value),
            ordered if matches!(kind, QuestionKind::Date(_)) => Self::ordered(ordered, value, day),
            ordered => Self::ordered(ordered, value, number),
        }
    }

    /// Returns the test of a score.
    pub(crate) fn of_score(comparison: Comparison, value: Option<&'r Operand>) -> Option<Self> {
        let kind = QuestionKind::Number {
            bounds: Bounds { min: None, max: None },
            whole: true,
            style: NumberStyle::default(),
        };
        Self::new(comparison, &kind, value).filter(|_| comparison.applies_to_score())
    }

    fn equal(kind: &QuestionKind<'_>, value: &'r Operand) -> Option<Self> {
        match (kind, value) {
            (QuestionKind::Choice(options), Operand::Text(id)) => options.find(id).map(Self::Chosen),
            (QuestionKind::Choices(options), Operand::Text(id)) => options.find(id).map(|_| Self::Includes(id)),
            (QuestionKind::Number { .. }, value) => number(value).map(|number| Self::Within(number, number)),
            (QuestionKind::Date(_), value) => day(value).map(|day| Self::Within(day, day)),
            (QuestionKind::Bool { .. }, Operand::Bool(yes)) => Some(Self::Bool(*yes)),
            (QuestionKind::Bool { .. }, Operand::Text(word)) => Locale::UNKNOWN.read_bool(word).map(Self::Bool),
            (QuestionKind::Choice(_) | QuestionKind::Choices(_) | QuestionKind::Bool { .. }, _) => None,
            (_, value) => Self::text(value).map(Self::Text),
        }
    }

    fn ordered(comparison: Comparison, value: &Operand, read: impl Fn(&Operand) -> Option<f64>) -> Option<Self> {
        let (low, high) = match (comparison, value) {
            // No double lies between a number and its neighbor, so every bound can be inclusive.
            (Comparison::Greater { or_equal: false } | Comparison::After, value) => {
                (read(value)?.next_up(), f64::INFINITY)
            }
            (Comparison::Greater { or_equal: true }, value) => (read(value)?, f64::INFINITY),
            (Comparison::Less { or_equal: false } | Comparison::Before, value) => {
                (f64::NEG_INFINITY, read(value)?.next_down())
            }
            (Comparison::Less { or_equal: true }, value) => (f64::NEG_INFINITY, read(value)?),
            (Comparison::Between, Operand::List(values)) => match values.as_slice() {
                [low, high] => (read(low)?, read(high)?),
                _ => return None,
            },
            _ => return None,
        };
        (low <= high).then_some(Self::Within(low, high))
    }

    /// Returns the trimmed text of a string or a number. Returns `None` for any other value and for a blank string.
    fn text(value: &'r Operand) -> Option<Cow<'r, str>> {
        let text = match value {
            Operand::Text(text) => text.trim(),
            Operand::Number(number) => number.as_str(),
            _ => return None,
        };
        (!text.is_empty()).then_some(text.into())
    }

    fn any(tests: impl Iterator<Item = Self>) -> Option<Self> {
        Self::joined(tests.collect(), Self::Any)
    }

    fn all(tests: Vec<Self>) -> Option<Self> {
        Self::joined(tests, Self::All)
    }

    fn joined(mut tests: Vec<Self>, join: fn(Box<[Self]>) -> Self) -> Option<Self> {
        match tests.len() {
            0 => None,
            1 => tests.pop(),
            _ => Some(join(tests.into())),
        }
    }

    /// Changes the texts of the test so that it tests addresses as [`normal`] returns them.
    fn for_email(self) -> Self {
        fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
            if text.contains('@') { Cow::Owned(normal(&text).into_owned()) } else { text }
        }
        let each = |tests: Box<[Self]>| tests.into_vec().into_iter().map(Self::for_email).collect();
        match self {
            Self::Text(text) => Self::Text(lower(text)),
            Self::StartsWith(text) => Self::StartsWith(lower(text)),
            // Without an `@`, the end of an address is the end of its domain.
            Self::EndsWith(text) if !text.contains('@') => Self::EndsWith(text.to_ascii_lowercase().into()),
            Self::EndsWith(text) => Self::EndsWith(lower(text)),
            // The value may occur before the `@` as it is written, or after it in lower case.
            Self::Contains(text) if !text.contains('@') && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                let in_domain = text.to_ascii_lowercase().into();
                Self::Any([Self::Contains(text), Self::Contains(in_domain)].into())
            }
            Self::Contains(text) => Self::Contains(lower(text)),
            Self::Any(tests) => Self::Any(each(tests)),
            Self::All(tests) => Self::All(each(tests)),
            other => other,
        }
    }

    /// Returns whether an answer passes the test. A walk spends much of its time here, so the most frequent tests are
    /// inlined, and the others are not.
    #[inline]
    pub(crate) fn holds(&self, slot: &Slot<'_>) -> bool {
        match (self, slot) {
            (Self::Chosen(option), Slot::Chosen(chosen)) => option == chosen,
            (Self::Within(low, high), Slot::Number(number, _)) => low <= number && number <= high,
            _ => self.holds_infrequent(slot),
        }
    }

    #[inline(never)]
    fn holds_infrequent(&self, slot: &Slot<'_>) -> bool {
        match (self, slot) {
            (Self::Filled, Slot::Empty) => false,
            (Self::Filled, _) => true,
            (Self::Within(..), Slot::Date(day)) => self.holds_for_number(f64::from(*day)),
            (Self::Includes(option), Slot::Many(chosen)) => chosen.iter().any(|id| id == option),
            (Self::Bool(yes), Slot::Bool(given)) => yes == given,
            (Self::Within(..), Slot::Any(Answer::Number(number))) => {
                number.as_f64().is_some_and(|number| self.holds_for_number(number))
            }
            (Self::Text(_) | Self::Contains(_) | Self::StartsWith(_) | Self::EndsWith(_), Slot::Text(text)) => {
                self.holds_for_text(text)
            }
            (Self::Text(_) | Self::Contains(_) | Self::StartsWith(_) | Self::EndsWith(_), Slot::Email(text)) => {
                self.holds_for_text(&normal(text))
            }
            (Self::Text(_) | Self::Contains(_) | Self::StartsWith(_) | Self::EndsWith(_), Slot::Any(answer)) => {
                answer.scalar_text().is_some_and(|text| self.holds_for_text(&text))
            }
            (Self::Any(tests), _) => tests.iter().any(|test| test.holds(slot)),
            (Self::All(tests), _) => tests.iter().all(|test| test.holds(slot)),
            _ => false,
        }
    }

    /// Returns whether a number passes the test.
    pub(crate) fn holds_for_number(&self, number: f64) -> bool {
        match self {
            Self::Within(low, high) => *low <= number && number <= *high,
            Self::Any(tests) => tests.iter().any(|test| test.holds_for_number(number)),
            _ => false,
        }
    }

    /// Returns whether trimmed text passes the test.
    pub(crate) fn holds_for_text(&self, text: &str) -> bool {
        match self {
            Self::Text(value) => text == value,
            Self::Contains(value) => text.contains(&**value),
            Self::StartsWith(value) => text.starts_with(&**value),
            Self::EndsWith(value) => text.ends_with(&**value),
            _ => false,
        }
    }

    /// Returns the number of comparisons in the test.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Any(tests) | Self::All(tests) => tests.iter().map(Self::size).sum(),
            _ => 1,
        }
    }
}

/// Parses a value as a date, and returns its day number.
fn day(value: &Operand) -> Option<f64> {
    if let Operand::Text(text) = value { date::parse(text).map(f64::from) } else { None }
}

/// Parses a value as a finite number.
fn number(value: &Operand) -> Option<f64> {
    match value {
        Operand::Number(number) => Number::as_f64(number),
        Operand::Text(text) => decimal(text).filter(|number| number.is_finite()),
        _ => None,
    }
}
