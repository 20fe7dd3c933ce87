//! Question types that a host adds to the types of this crate.

use std::{collections::BTreeMap, fmt, sync::Arc};

use super::{Question, answer::Answer, problem::Problem};

type Validate = dyn Fn(&Question, &Answer) -> Result<(), Problem> + Send + Sync;
type Format = dyn Fn(&Question, &Answer) -> String + Send + Sync;

/// The question types that a host adds to a [`Policy`](super::Policy), by name.
///
/// Walks, checks and proofs call the host's functions with the record of a question and an answer that is not empty.
/// `validate` returns an error such as [`Problem::NotValid`] if the answer is invalid. `format` returns the text of a
/// valid answer, for placeholders and leads. Both must return the same result for the same arguments. Rules compare
/// answers to a question of such a type as if the type were unknown.
///
/// ```
/// use leadapi_form::{Questionnaire, Answers, FormRecord, Outcome, Policy, Problem, Version};
///
/// let mut policy = Policy::default();
/// policy.types.add(
///     "licence_plate",
///     |_, answer| if answer.text().contains('-') { Ok(()) } else { Err(Problem::NotValid) },
///     |_, answer| answer.text().to_uppercase(),
/// );
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"client_id":"c1","fields":[
///     {"id":"n","type":"short_text","mappedKey":"name"},
///     {"id":"q","type":"licence_plate","label":"Plate?"}]}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &policy);
/// let answers = Answers::new().with("n", "Ann").with("q", "b-xy 123");
/// assert_eq!(form.walk(&answers).lead()?.lead.notes.as_deref(), Some("Plate?: B-XY 123"));
/// let answers = answers.with("q", "none");
/// let Outcome::Awaiting { problems } = form.walk(&answers).outcome() else { panic!() };
/// assert_eq!(problems, [("q", Problem::NotValid)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTypes(BTreeMap<String, HostType>);

/// The functions of a type. Clones are equal, but types that were added separately are not.
#[derive(Clone)]
pub(super) struct HostType(Arc<(Box<Validate>, Box<Format>)>);

impl HostTypes {
    /// Adds a type, or replaces the type with this name. The name is case-sensitive. The types that this crate defines
    /// cannot be replaced under any of their names.
    ///
    /// ```
    /// let mut types = leadapi_form::HostTypes::default();
    /// types.add("signature", |_, _| Ok(()), |_, _| "signed".to_owned());
    /// ```
    pub fn add(
        &mut self,
        name: impl Into<String>,
        validate: impl Fn(&Question, &Answer) -> Result<(), Problem> + Send + Sync + 'static,
        format: impl Fn(&Question, &Answer) -> String + Send + Sync + 'static,
    ) {
        self.0.insert(name.into(), HostType(Arc::new((Box::new(validate), Box::new(format)))));
    }

    pub(super) fn get(&self, name: &str) -> Option<&HostType> {
        self.0.get(name)
    }
}

impl HostType {
    pub(super) fn validate(&self, question: &Question, answer: &Answer) -> Result<(), Problem> {
        (self.0.0)(question, answer)
    }

    pub(super) fn format(&self, question: &Question, answer: &Answer) -> String {
        (self.0.1)(question, answer)
    }
}

impl PartialEq for HostType {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HostType {}

impl fmt::Debug for HostType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostType")
    }
}
