//! What can be proved of a form, for all answers that there are.

mod budget;
mod classes;
mod explore;
mod linear;
mod live;
mod page_set;
mod paths;
mod signature;
mod space;
mod state;

pub(super) use explore::Exploration;
pub use paths::{Path, PathEnd, Paths};

use super::{answer::Answers, plan::Questionnaire};

/// Whether a statement about a form is true of all its walks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict<W> {
    /// It is true, whatever is answered.
    Proved,
    /// It is false, and this shows it.
    Refuted(W),
    /// It is not known. Either the [`budget`](super::Policy::budget) ran out: in general the question is NP-complete, so
    /// there are such forms. Or it depends on a rule that cannot be evaluated, because of an operator, a join or an
    /// action that this crate does not know: see [`Proofs::undecided`].
    Unknown,
}

/// What is true of all walks of a form, whatever is answered.
///
/// The answers to a question fall into few classes: its options, the stretches of numbers between the constants of the
/// conditions, the texts that a condition names and all others, and none if it is optional. All ways through the pages
/// are explored with one answer of each class, for as long as a rule ahead looks at it; so a verdict is exact. It is
/// linear in the pages where rules look only at the answers of their own page.
///
/// Where the budget runs out, [`ends`](Self::ends), [`named`](Self::named) and [`contactable`](Self::contactable) can
/// still be proved from the graph of the pages alone, in linear time: no page is on a cycle, or every path to a lead
/// passes through a page that requires a name.
///
/// A rule that cannot be evaluated may match or not, just as a walk calls such a step
/// [uncertain](super::Step::is_uncertain). A statement is proved when it is true in both cases, and refuted only by
/// answers whose walk depends on no such rule.
///
/// ```
/// use leadapi_core::form::{Answers, FormRecord, Policy, Verdict, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{
///     "pages":[{"id":"p","fields":[{"id":"q","type":"number","required":true,"min":0}]}],
///     "logic":{"rules":[{"fromPageId":"p","then":{"kind":"jump","target":"p"},
///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"gt","value":9}]}],"outerOp":"OR"}]}}}"#)?;
/// let form = record.compile(Version::Draft, &Policy::default());
/// let proofs = form.prove();
/// assert_eq!(proofs.ends, Verdict::Refuted(Answers::new().with("q", 10)));
/// assert_eq!(proofs.pages, Verdict::Proved);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proofs {
    /// Every walk ends. Otherwise, with these answers it comes back to a page.
    pub ends: Verdict<Answers>,
    /// Every page is come to with some answers. Otherwise, these are not, by their place among
    /// [`Questionnaire::pages`].
    pub pages: Verdict<Vec<usize>>,
    /// Every ending of the settings is come to with some answers. Otherwise, these are not, by their place among the
    /// endings.
    pub endings: Verdict<Vec<usize>>,
    /// Every lead has a name. Otherwise, with these answers it has none.
    pub named: Verdict<Answers>,
    /// Every lead has an email address or a phone number. Otherwise, with these answers it has neither.
    pub contactable: Verdict<Answers>,
    /// The rules that cannot be evaluated with some answers that lead to their page, by their place among the rules.
    pub undecided: Vec<usize>,
    /// Whether the budget sufficed to explore all ways of answering.
    pub complete: bool,
}

impl Questionnaire<'_> {
    /// Proves or refutes what an author wants of every form; see [`Proofs`].
    ///
    /// ```
    /// # use leadapi_core::form::{FormRecord, Policy, Verdict, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","mappedKey":"name"}]}}"#)?;
    /// let form = record.compile(Version::Draft, &Policy::default());
    /// assert!(matches!(form.prove().named, Verdict::Refuted(answers) if answers.of("q").is_none()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn prove(&self) -> Proofs {
        self.explore().proofs
    }
}
