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
    /// A rule of a page. If its conditions hold, a walk jumps from the page to the rule's target (contract 2.5).
    Rule {
        /// The id of the rule.
        id: Field<String> = "id",
        /// The name of the rule. A rule named `__fallback__` without conditions is the default route from its page.
        name: Field<String> = "name",
        /// The id of the page that the rule belongs to.
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
        /// The id of the pipeline of the leads of visitors who take the jump. An extension of this crate, as is
        /// `stageId`.
        pipeline_id: Field<String> = "pipelineId",
        /// The id of the stage of the leads of visitors who take the jump.
        stage_id: Field<String> = "stageId",
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
    /// A test of an answer or a score (contract 2.5).
    Condition {
        /// The id of the question whose answer is tested. `$score` stands for the score of the path so far. `$score:`
        /// followed by a page id stands for the score of that page, which is 0 if the page is not on the path. A
        /// question whose id is such a name takes precedence.
        field_id: Field<String> = "fieldId",
        /// The operator.
        op: Field<Operator> = "op",
        /// The value to compare the answer or the score with. Absent for operators that take no value.
        value: Field<Operand> = "value",
    }
}

/// The value that a condition compares an answer or a score with (contract 2.5). Booleans and arrays are extensions of
/// this crate.
///
/// ```
/// use leadapi_model::form::{Condition, Operand};
///
/// let condition: Condition = serde_json::from_str(r#"{"fieldId":"q_hours","op":"between","value":[20,39.5]}"#)?;
/// let Some(Operand::List(values)) = condition.value.get() else { panic!() };
/// assert_eq!(values[0], Operand::Number(20.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// An option id, a date such as `2026-05-31`, or other text.
    Text(String),
    /// A number.
    Number(Number),
    /// A boolean.
    Bool(bool),
    /// An array of strings, numbers and booleans.
    List(Vec<Operand>),
}

impl Operand {
    /// Returns the elements of an array, or the value itself as the only element.
    ///
    /// ```
    /// use leadapi_model::form::Operand;
    ///
    /// assert_eq!(Operand::from("a").elements(), [Operand::from("a")]);
    /// ```
    pub fn elements(&self) -> &[Self] {
        if let Self::List(values) = self { values } else { std::slice::from_ref(self) }
    }
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

impl From<bool> for Operand {
    fn from(yes: bool) -> Self {
        Self::Bool(yes)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Operand {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl Serialize for Operand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Bool(yes) => yes.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Operand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        scalar(&raw)
            // An array inside an array has no meaning, and reading it could exhaust the stack.
            .or_else(|| raw.read::<Vec<Raw>>().ok()?.iter().map(scalar).collect::<Option<_>>().map(Self::List))
            .ok_or_else(|| de::Error::custom("neither a string, a number, a boolean nor an array of them"))
    }
}

fn scalar(raw: &Raw) -> Option<Operand> {
    match raw.text() {
        "true" => Some(Operand::Bool(true)),
        "false" => Some(Operand::Bool(false)),
        text if text.starts_with('"') => raw.read().ok().map(Operand::Text),
        text => Number::parse(text).ok().map(Operand::Number),
    }
}
