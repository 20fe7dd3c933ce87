//! Operators that a host adds to the operators of this crate.

use std::{collections::BTreeMap, fmt, sync::Arc};

use super::{Operand, answer::Answer};

type Function = dyn Fn(Option<&Answer>, Option<&Operand>) -> Option<bool> + Send + Sync;

/// The operators that a host adds to a [`Policy`](super::Policy), by name.
///
/// A walk evaluates a condition with such an operator by calling the host's function with the answer to the question
/// and the value of the condition. The answer is `None` if the question was not asked or was not answered. The function
/// returns whether the condition holds, or `None` if that is unknown. In that case, the step is
/// [uncertain](super::Step::is_uncertain). The function must return the same result for the same arguments.
///
/// [`Questionnaire::prove`](super::Questionnaire::prove) never calls the functions. It decides only statements that do
/// not depend on their results.
///
/// ```
/// use leadapi_form::{Questionnaire, Answer, Answers, FormRecord, Operand, Outcome, Policy, Verdict, Version};
///
/// let mut policy = Policy::default();
/// policy.operators.add("shorter_than", |answer, value| match (answer, value) {
///     (Some(Answer::Text(text)), Some(Operand::Number(length))) => Some(text.chars().count() < length.as_i64()? as usize),
///     _ => Some(false),
/// });
/// let record: FormRecord = serde_json::from_str(r#"{"form":{
///     "pages":[{"id":"p","fields":[{"id":"q","type":"short_text"}]},{"id":"more"}],
///     "logic":{"rules":[{"fromPageId":"p","then":{"kind":"jump","target":"end:e"},
///         "groups":[{"conds":[{"fieldId":"q","op":"shorter_than","value":4}]}]}]},
///     "settings":{"endings":[{"id":"e"}]}}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &policy);
/// assert_eq!(form.walk(&Answers::new().with("q", "Why")).steps().count(), 1);
/// assert_eq!(form.walk(&Answers::new().with("q", "Because")).steps().count(), 2);
/// assert_eq!(form.prove().pages, Verdict::Unknown);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOperators(BTreeMap<String, HostOperator>);

/// The function of an operator. Clones are equal, but operators that were added separately are not.
#[derive(Clone)]
pub(super) struct HostOperator(Arc<Function>);

impl HostOperators {
    /// Adds an operator, or replaces the operator with this name. The name is case-sensitive. The operators that this
    /// crate defines cannot be replaced under any of their names.
    ///
    /// ```
    /// let mut operators = leadapi_form::HostOperators::default();
    /// operators.add("is_local", |answer, _| Some(answer?.text().starts_with("030")));
    /// ```
    pub fn add(
        &mut self,
        name: impl Into<String>,
        function: impl Fn(Option<&Answer>, Option<&Operand>) -> Option<bool> + Send + Sync + 'static,
    ) {
        self.0.insert(name.into(), HostOperator(Arc::new(function)));
    }

    pub(super) fn get(&self, name: &str) -> Option<&HostOperator> {
        self.0.get(name)
    }
}

impl HostOperator {
    pub(super) fn call(&self, answer: Option<&Answer>, value: Option<&Operand>) -> Option<bool> {
        (self.0)(answer, value)
    }
}

impl PartialEq for HostOperator {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HostOperator {}

impl fmt::Debug for HostOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostOperator")
    }
}
