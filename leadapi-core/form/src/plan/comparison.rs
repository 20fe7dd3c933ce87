//! The meaning of operators, and the kinds of answers that they compare.

use super::kind::QuestionKind;
use crate::{Condition, Operand, Operator};
use leadapi_model::form::plain_name;

/// An operator without its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Filled,
    Equals,
    Greater { or_equal: bool },
    Less { or_equal: bool },
    Between,
    Contains,
    StartsWith,
    EndsWith,
    In,
    Before,
    After,
    Checked,
}

/// The meaning of a condition's operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub comparison: Comparison,
    /// Whether the operator negates the comparison.
    pub negated: bool,
}

impl Meaning {
    /// Returns the meaning of a condition's operator, or `None` if the operator is unknown.
    pub(crate) fn of(condition: &Condition) -> Option<Self> {
        let written = condition.op.get()?;
        let (comparison, negated) = match written.resolve() {
            Operator::IsFilled => {
                let not = Self::is_exists(condition) && condition.value.get() == Some(&Operand::Bool(false));
                (Comparison::Filled, not)
            }
            Operator::IsEmpty => (Comparison::Filled, true),
            Operator::Equals => (Comparison::Equals, false),
            Operator::NotEquals => (Comparison::Equals, true),
            Operator::Gt => (Comparison::Greater { or_equal: false }, false),
            Operator::Gte => (Comparison::Greater { or_equal: true }, false),
            Operator::Lt => (Comparison::Less { or_equal: false }, false),
            Operator::Lte => (Comparison::Less { or_equal: true }, false),
            Operator::Between => (Comparison::Between, false),
            Operator::Contains => (Comparison::Contains, false),
            Operator::NotContains => (Comparison::Contains, true),
            Operator::StartsWith => (Comparison::StartsWith, false),
            Operator::NotStartsWith => (Comparison::StartsWith, true),
            Operator::EndsWith => (Comparison::EndsWith, false),
            Operator::NotEndsWith => (Comparison::EndsWith, true),
            Operator::In => (Comparison::In, false),
            Operator::NotIn => (Comparison::In, true),
            Operator::Before => (Comparison::Before, false),
            Operator::After => (Comparison::After, false),
            Operator::IsChecked => (Comparison::Checked, false),
            Operator::IsNotChecked => (Comparison::Checked, true),
            // Only `Other` reaches this arm. A test checks that every named operator has a meaning.
            _ => return None,
        };
        Some(Self { comparison, negated })
    }

    /// Returns whether the operator is FHIR's `exists`, whose value is a boolean.
    pub(crate) fn is_exists(condition: &Condition) -> bool {
        condition.op.get().is_some_and(|op| plain_name(op.as_str()) == "exists")
            && matches!(condition.value.get(), Some(Operand::Bool(_)))
    }
}

impl Comparison {
    /// Returns whether the comparison takes a value.
    pub(crate) fn takes_value(self) -> bool {
        !matches!(self, Self::Filled | Self::Checked)
    }

    /// Returns whether the comparison orders numbers as well as dates. `Before` and `After` order only dates.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Self::Greater { .. } | Self::Less { .. } | Self::Between)
    }

    /// Returns whether answers of this kind can be compared in this way.
    pub(crate) fn applies_to(self, kind: &QuestionKind<'_>) -> bool {
        match kind {
            _ if self == Self::Filled => true,
            QuestionKind::Choice(_) | QuestionKind::Choices(_) => {
                matches!(self, Self::Equals | Self::In | Self::Contains)
            }
            QuestionKind::Number { .. } => self.applies_to_score(),
            QuestionKind::Date(_) => self.applies_to_score() || matches!(self, Self::Before | Self::After),
            QuestionKind::Bool { .. } => matches!(self, Self::Equals | Self::In | Self::Checked),
            QuestionKind::Text | QuestionKind::Email | QuestionKind::Phone | QuestionKind::Url => self.reads_text(),
            QuestionKind::Address | QuestionKind::File => false,
            QuestionKind::Hidden | QuestionKind::Host(_) | QuestionKind::Unknown => {
                self.reads_text() || self.is_ordered()
            }
        }
    }

    /// Returns whether a score can be compared in this way.
    pub(crate) fn applies_to_score(self) -> bool {
        self.is_ordered() || matches!(self, Self::Equals | Self::In)
    }

    fn reads_text(self) -> bool {
        matches!(self, Self::Equals | Self::In | Self::Contains | Self::StartsWith | Self::EndsWith)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_operator_has_a_meaning() {
        for op in Operator::ALL {
            let condition: Condition = serde_json::from_value(serde_json::json!({ "op": op.as_str() })).unwrap();
            assert!(Meaning::of(&condition).is_some(), "{op}");
        }
    }
}
