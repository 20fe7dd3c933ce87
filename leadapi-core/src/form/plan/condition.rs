//! Compiled conditions. Malformed conditions are detected once, at compile time, so a walk does not validate them
//! again.

use super::{Questionnaire, bounds::decimal, kind::QuestionKind, question::Slot};
use crate::form::{
    answer::Answer,
    extensible_enum::{GroupOp, Operator},
    field::{Entry, Field, List},
    logic::{Condition, Group, Operand, Rule},
    number::Number,
    policy::Policy,
};

/// Kleene's three truth values, ordered so that AND is the minimum and OR the maximum of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::form) enum Truth {
    False,
    Unknown,
    True,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// The operator that combines conditions or groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    All,
    Any,
    /// An operator that is not in the contract.
    Unknown,
}

/// The non-empty groups of a rule.
#[derive(Debug)]
pub(in crate::form) struct Groups<'r> {
    join: Join,
    groups: Vec<Conds<'r>>,
}

#[derive(Debug)]
struct Conds<'r> {
    join: Join,
    conds: Vec<Cond<'r>>,
}

/// A compiled condition.
#[derive(Debug)]
pub(in crate::form) enum Cond<'r> {
    /// The condition is malformed, or its operator is unknown.
    Unknown,
    /// The condition never holds: its question does not exist, or no answer can match its value.
    Never,
    Ask {
        question: usize,
        test: Test<'r>,
    },
}

/// A test of an answer, specific to the type of its question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::form) enum Test<'r> {
    Filled,
    Chosen(usize),
    Equal(f64),
    Greater(f64),
    Text(&'r str),
}

impl<'r> Groups<'r> {
    pub(super) fn new(form: &Questionnaire<'_>, rule: &'r Rule) -> Self {
        let groups = entries(&rule.groups, |group: Option<&'r Group>| match group {
            // A malformed group is treated as one condition with an unknown truth value.
            None => Conds { join: Join::Unknown, conds: vec![Cond::Unknown] },
            Some(group) => Conds {
                join: Join::new(&group.op, &form.policy),
                conds: entries(&group.conds, |cond| cond.map_or(Cond::Unknown, |cond| Cond::new(form, cond))),
            },
        });
        let groups = groups.into_iter().filter(|group| !group.conds.is_empty()).collect();
        Self { join: Join::new(&rule.outer_op, &form.policy), groups }
    }

    /// Returns whether there are no conditions.
    pub(in crate::form) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Evaluates each condition of this rule on its own. Returns the number of its non-empty group, its record, and
    /// whether it holds. The record is `None` for a malformed condition.
    pub(in crate::form) fn each(
        &self,
        rule: &'r Rule,
        slots: &[Slot<'_>],
    ) -> Vec<(usize, Option<&'r Condition>, Truth)> {
        let records = entries(&rule.groups, |group| {
            group.map_or_else(|| vec![None], |group| entries(&group.conds, |condition| condition))
        });
        let groups = self.groups.iter().enumerate();
        let truths = groups.flat_map(|(group, conds)| conds.conds.iter().map(move |cond| (group, cond.holds(slots))));
        let records = records.into_iter().flatten();
        truths.zip(records).map(|((group, truth), record)| (group, record, truth)).collect()
    }

    pub(in crate::form) fn conds(&self) -> impl Iterator<Item = &Cond<'r>> {
        self.groups.iter().flat_map(|group| &group.conds)
    }

    /// Evaluates the groups for these answers. A question that was not asked has an empty slot.
    #[inline]
    pub(in crate::form) fn holds(&self, slots: &[Slot<'_>]) -> Truth {
        self.join.of(self.groups.iter().map(|group| group.join.of(group.conds.iter().map(|cond| cond.holds(slots)))))
    }
}

/// Maps the elements of an array with `make`. `make` receives `None` for an element of the wrong type, and for a member
/// that is not an array.
fn entries<'r, T, U>(list: &'r List<T>, mut make: impl FnMut(Option<&'r T>) -> U) -> Vec<U> {
    match list {
        Field::Absent | Field::Null => Vec::new(),
        Field::Value(entries) => entries.iter().map(Entry::get).map(make).collect(),
        Field::Other(_) => vec![make(None)],
    }
}

impl Join {
    fn new(op: &Field<GroupOp>, policy: &Policy) -> Self {
        let op = match op {
            Field::Absent | Field::Null => &policy.missing_join,
            Field::Value(op) => op,
            Field::Other(_) => return Self::Unknown,
        };
        match op {
            GroupOp::And => Self::All,
            GroupOp::Or => Self::Any,
            GroupOp::Other(_) => Self::Unknown,
        }
    }

    #[inline]
    fn of(self, mut truths: impl Iterator<Item = Truth>) -> Truth {
        let decided = match self {
            Self::All => Truth::False,
            Self::Any => Truth::True,
            Self::Unknown => return Truth::Unknown,
        };
        let mut joined = if self == Self::All { Truth::True } else { Truth::False };
        while joined != decided
            && let Some(truth) = truths.next()
        {
            joined = if self == Self::All { joined.min(truth) } else { joined.max(truth) };
        }
        joined
    }
}

impl<'r> Cond<'r> {
    pub(in crate::form) fn new(form: &Questionnaire<'_>, condition: &'r Condition) -> Self {
        let Some(op @ (Operator::Equals | Operator::IsFilled | Operator::Gt)) = condition.op.get() else {
            return Self::Unknown;
        };
        let question = condition.field_id.as_str().and_then(|id| form.question(id));
        let Some((question, plan)) = question.and_then(|index| Some((index, form.questions.get(index)?))) else {
            return Self::Never;
        };
        Test::new(op, &plan.kind, &condition.value).map_or(Self::Never, |test| Self::Ask { question, test })
    }

    #[inline]
    pub(in crate::form) fn holds(&self, slots: &[Slot<'_>]) -> Truth {
        match self {
            Self::Unknown => Truth::Unknown,
            Self::Never => Truth::False,
            Self::Ask { question, test } => slots.get(*question).is_some_and(|slot| test.holds(slot)).into(),
        }
    }
}

impl<'r> Test<'r> {
    /// Returns `None` if no answer to a question of this kind can pass the test.
    fn new(op: &Operator, kind: &QuestionKind<'_>, value: &'r Field<Operand>) -> Option<Self> {
        match (op, kind, value.get()) {
            (Operator::IsFilled, ..) => Some(Self::Filled),
            (Operator::Equals, QuestionKind::Choice(options), Some(Operand::Text(id))) => {
                options.find(id).map(Self::Chosen)
            }
            (Operator::Equals, QuestionKind::Choice(_), _) => None,
            (Operator::Equals, QuestionKind::Number { .. }, Some(value)) => number(value).map(Self::Equal),
            (Operator::Equals, _, Some(Operand::Text(text))) => Some(Self::Text(text.trim())),
            (Operator::Equals, _, Some(Operand::Number(number))) => Some(Self::Text(number.as_str())),
            (Operator::Gt, QuestionKind::Number { .. } | QuestionKind::Unknown, Some(value)) => {
                number(value).map(Self::Greater)
            }
            _ => None,
        }
    }

    #[inline]
    #[expect(clippy::float_cmp, reason = "numbers are equal if their doubles are equal")]
    pub(in crate::form) fn holds(&self, slot: &Slot<'_>) -> bool {
        match (self, slot) {
            (Self::Filled, Slot::Empty) => false,
            (Self::Filled, _) => true,
            (Self::Chosen(option), Slot::Chosen(chosen)) => option == chosen,
            (Self::Equal(value), Slot::Number(number, _)) => number == value,
            (Self::Greater(value), Slot::Number(number, _)) => number > value,
            (Self::Text(value), Slot::Text(text)) => text == value,
            (Self::Text(value), Slot::Any(answer)) => {
                !matches!(answer, Answer::Other(_) | Answer::Texts(_)) && answer.text() == *value
            }
            (Self::Greater(value), Slot::Any(Answer::Number(number))) => {
                number.as_f64().is_some_and(|number| number > *value)
            }
            _ => false,
        }
    }
}

/// Parses a condition's value as a finite number.
fn number(value: &Operand) -> Option<f64> {
    match value {
        Operand::Number(number) => Number::as_f64(number),
        Operand::Text(text) => decimal(text).filter(|number| number.is_finite()),
    }
}
