//! Routing logic: rules, their groups of conditions, and their jumps.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    extensible_enum::{GroupOp, JumpKind, Operator},
    field::{Field, List},
    number::Number,
    raw::Raw,
    record::record,
};

record! {
    /// The logic of a form (contract 2.5).
    Logic {
        /// The rules.
        rules: List<Rule> = "rules",
    }
}

record! {
    /// A rule of a page. If its groups of conditions hold, a walk jumps from the page to the rule's target (contract
    /// 2.5).
    Rule {
        /// The id of the rule.
        id: Field<String> = "id",
        /// The name of the rule. A rule named `__fallback__` without groups is the default route from its page.
        name: Field<String> = "name",
        /// The page from which the rule jumps.
        from_page_id: Field<String> = "fromPageId",
        /// The action to take when the rule matches.
        then: Field<Jump> = "then",
        /// The groups of conditions.
        groups: List<Group> = "groups",
        /// The operator that combines the groups.
        outer_op: Field<GroupOp> = "outerOp",
    }
}

record! {
    /// The action to take when a rule matches (contract 2.5).
    Jump {
        /// The kind of action.
        kind: Field<JumpKind> = "kind",
        /// The target: a page id, or `end:` followed by an ending id.
        target: Field<String> = "target",
    }
}

record! {
    /// A group of conditions, combined by one operator (contract 2.5).
    Group {
        /// The operator that combines the conditions.
        op: Field<GroupOp> = "op",
        /// The conditions.
        conds: List<Condition> = "conds",
    }
}

record! {
    /// A test of one answer (contract 2.5).
    Condition {
        /// The question whose answer is tested.
        field_id: Field<String> = "fieldId",
        /// The operator.
        op: Field<Operator> = "op",
        /// The value to compare the answer with. Absent for [`Operator::IsFilled`].
        value: Field<Operand> = "value",
    }
}

/// The value that a condition compares an answer with (contract 2.5).
///
/// ```
/// use leadapi_core::form::{Condition, Operand};
///
/// let condition: Condition = serde_json::from_str(r#"{"fieldId":"q_hours","op":"gt","value":39}"#)?;
/// assert_eq!(condition.value.get(), Some(&Operand::Number(39.into())));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// An option id or other text.
    Text(String),
    /// A number.
    Number(Number),
}

impl From<&str> for Operand {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Number> for Operand {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl Serialize for Operand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Operand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        raw.read()
            .map(Self::Text)
            .or_else(|_| raw.read().map(Self::Number))
            .map_err(|_| de::Error::custom("neither a string nor a number"))
    }
}
