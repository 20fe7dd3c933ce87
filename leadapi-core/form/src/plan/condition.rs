//! Compiled conditions. Malformed conditions are detected when the form is compiled, so a walk does not validate them
//! again.

use super::{Questionnaire, answer_test::Test, comparison::Meaning, slot::Slot};
use crate::{
    Condition, Entry, Field, Group, GroupOp, List, Operand, Rule, answer::Answer, host_operator::HostOperator,
    policy::Policy,
};

/// Kleene's three truth values, ordered so that AND is the minimum and OR the maximum of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
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
    /// An operator that is malformed or not in the contract.
    Unknown,
}

/// The non-empty groups of a rule.
#[derive(Debug)]
pub(crate) struct Groups<'r> {
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
pub(crate) enum Cond<'r> {
    /// The condition is malformed, or its operator is unknown.
    Unknown,
    /// The condition never holds, because its question does not exist or no answer can satisfy it.
    Never,
    /// A test of the answer to a question.
    Ask {
        question: usize,
        test: Test<'r>,
        /// Whether the condition negates the test.
        negated: bool,
    },
    /// A test of a score.
    Score { score: usize, test: Test<'r>, negated: bool },
    /// A call to an operator of the host.
    Host { question: usize, operator: HostOperator, value: Option<&'r Operand> },
}

/// The facts that conditions read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'e, 'a> {
    /// The answers on the path. A question that was not asked has an empty slot.
    pub slots: &'e [Slot<'a>],
    /// The value of each score in [`Questionnaire::scores`], or `None` if a proof does not know it.
    pub scores: &'e [Option<i64>],
    /// The answers as the visitor sent them, for the operators of the host. Absent in proofs, which must hold
    /// regardless of what such an operator returns.
    pub given: Option<&'e [Option<&'a Answer>]>,
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
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Evaluates each condition of this rule on its own. For each condition, returns the index of its group among the
    /// non-empty groups, its record, and whether it holds. The record is `None` for a malformed condition.
    pub(crate) fn each(
        &self,
        rule: &'r Rule,
        evidence: &Evidence<'_, '_>,
    ) -> Vec<(usize, Option<&'r Condition>, Truth)> {
        let records = entries(&rule.groups, |group| {
            group.map_or_else(|| vec![None], |group| entries(&group.conds, |condition| condition))
        });
        let groups = self.groups.iter().enumerate();
        let truths =
            groups.flat_map(|(group, conds)| conds.conds.iter().map(move |cond| (group, cond.holds(evidence))));
        let records = records.into_iter().flatten();
        truths.zip(records).map(|((group, truth), record)| (group, record, truth)).collect()
    }

    pub(crate) fn conds(&self) -> impl Iterator<Item = &Cond<'r>> {
        self.groups.iter().flat_map(|group| &group.conds)
    }

    /// Returns whether a condition or a join is unknown, or a condition calls an operator of the host.
    pub(crate) fn may_be_undecided(&self) -> bool {
        let joins = self.groups.iter().map(|group| group.join).chain([self.join]);
        joins.into_iter().any(|join| join == Join::Unknown)
            || self.conds().any(|cond| matches!(cond, Cond::Unknown | Cond::Host { .. }))
    }

    pub(crate) fn holds(&self, evidence: &Evidence<'_, '_>) -> Truth {
        self.join.of(self.groups.iter().map(|group| group.join.of(group.conds.iter().map(|cond| cond.holds(evidence)))))
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
            _ => Self::Unknown,
        }
    }

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
    pub(crate) fn new(form: &Questionnaire<'_>, condition: &'r Condition) -> Self {
        let id = condition.field_id.as_str().unwrap_or_default();
        let question = form.question(id).and_then(|index| Some((index, form.questions.get(index)?)));
        let Some(Meaning { comparison, negated }) = Meaning::of(condition) else {
            let name = condition.op.get().map_or("", |op| op.as_str());
            return match (form.policy.operators.get(name), question) {
                (None, _) => Self::Unknown,
                (Some(_), None) => Self::Never,
                (Some(operator), Some((question, _))) => {
                    Self::Host { question, operator: operator.clone(), value: condition.value.get() }
                }
            };
        };
        let value = condition.value.get();
        if let Some((question, plan)) = question {
            let test = Test::new(comparison, &plan.kind, value);
            return test.map_or(Self::Never, |test| Self::Ask { question, test, negated });
        }
        let score = form.scores.find(id).and_then(|score| Some((score, Test::of_score(comparison, value)?)));
        score.map_or(Self::Never, |(score, test)| Self::Score { score, test, negated })
    }

    #[inline]
    pub(crate) fn holds(&self, evidence: &Evidence<'_, '_>) -> Truth {
        match self {
            Self::Ask { question, test, negated } => {
                let slot = evidence.slots.get(*question).unwrap_or(&Slot::Empty);
                match slot {
                    Slot::Opaque if !matches!(test, Test::Filled) => Truth::Unknown,
                    slot => (test.holds(slot) != *negated).into(),
                }
            }
            _ => self.holds_infrequent(evidence),
        }
    }

    /// Evaluates the infrequent conditions. Without this split and that of `Test::holds`, a walk would take 12 % more
    /// instructions.
    #[inline(never)]
    fn holds_infrequent(&self, evidence: &Evidence<'_, '_>) -> Truth {
        match self {
            Self::Never => Truth::False,
            Self::Score { score, test, negated } => match evidence.scores.get(*score) {
                #[expect(clippy::cast_precision_loss, reason = "a score beyond 2^53 is compared as the nearest double")]
                Some(Some(score)) => (test.holds_for_number(*score as f64) != *negated).into(),
                _ => Truth::Unknown,
            },
            Self::Host { question, operator, value } => {
                let Some(given) = evidence.given else { return Truth::Unknown };
                let is_answered = !matches!(evidence.slots.get(*question), None | Some(Slot::Empty));
                let answer = given.get(*question).copied().flatten().filter(|_| is_answered);
                operator.call(answer, *value).map_or(Truth::Unknown, Truth::from)
            }
            Self::Unknown | Self::Ask { .. } => Truth::Unknown,
        }
    }

    /// Returns the number of comparisons in the condition.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Ask { test, .. } | Self::Score { test, .. } => test.size(),
            Self::Unknown | Self::Never | Self::Host { .. } => 1,
        }
    }
}
