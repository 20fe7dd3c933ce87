//! Where a form goes after a page: rules, their groups of conditions, and the jump.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    field::{Field, List},
    number::Number,
    open::{GroupOp, JumpKind, Operator},
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
    /// A rule: after its page, if its groups hold, then jump (contract 2.5).
    Rule {
        /// The id of the rule.
        id: Field<String> = "id",
        /// The name of the rule; `__fallback__`, without groups, is the default route from its page.
        name: Field<String> = "name",
        /// The page after which the rule applies.
        from_page_id: Field<String> = "fromPageId",
        /// What happens when the rule holds.
        then: Field<Jump> = "then",
        /// The groups of conditions.
        groups: List<Group> = "groups",
        /// How the groups are joined.
        outer_op: Field<GroupOp> = "outerOp",
    }
}

record! {
    /// What a rule does when it holds (contract 2.5).
    Jump {
        /// What kind of move it is.
        kind: Field<JumpKind> = "kind",
        /// Where it goes: a page's id, or `end:` and an ending's id.
        target: Field<String> = "target",
    }
}

record! {
    /// Conditions that are joined (contract 2.5).
    Group {
        /// How the conditions are joined.
        op: Field<GroupOp> = "op",
        /// The conditions.
        conds: List<Condition> = "conds",
    }
}

record! {
    /// What an answer must be (contract 2.5).
    Condition {
        /// The question whose answer is looked at.
        field_id: Field<String> = "fieldId",
        /// How it is looked at.
        op: Field<Operator> = "op",
        /// What the answer is compared with; absent for [`Operator::IsFilled`].
        value: Field<Operand> = "value",
    }
}

/// What an answer is compared with (contract 2.5).
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
    /// The id of an option.
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
