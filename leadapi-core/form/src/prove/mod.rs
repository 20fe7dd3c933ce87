//! Proofs of statements that must hold for all possible answers to a form.

mod budget;
mod candidates;
mod classes;
mod exit;
mod explore;
mod graph;
mod liveness;
mod page_set;
mod paths;
mod signature;
mod space;
mod state;
mod texts;

pub(super) use explore::Exploration;
pub use paths::{Path, PathEnd, Paths};

use super::{answer::Answers, plan::Questionnaire};

/// Whether a statement holds for all walks of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict<W> {
    /// The statement holds for all possible answers.
    Proved,
    /// The statement is false. The value is a counterexample.
    Refuted(W),
    /// The statement is undecided, for one of these reasons:
    ///
    /// - The [`budget`](super::Policy::budget) ran out. For some forms, this is unavoidable, because the problem is
    ///   NP-complete.
    /// - The statement depends on a rule that a proof cannot evaluate. See [`Proofs::undecided`].
    /// - The statement depends on answers for which no example is known. See [`Proofs`].
    Unknown,
}

/// Statements about all walks of a form.
///
/// The answers to a question fall into a few equivalence classes, within which no rule distinguishes them:
///
/// - each option of a choice or, for a multiple choice, each set of the options that conditions read
/// - each interval between the constants of conditions on a number or a date
/// - each string that a condition compares answers with, and all other strings, grouped by the results of the tests of
///   their beginnings, ends and substrings
/// - no answer, if the question is optional
///
/// The search explores all paths with one answer from each class, so its verdicts are exact. It keeps an answer or a
/// score only while a later rule can read it. If rules read only answers on their own page, and no page is on a cycle,
/// the cost is linear in the number of pages.
///
/// If answers must have a certain syntax, length or pattern, or if conditions test very many parts of one answer, a
/// class may contain valid answers although the search knows no example. The search then treats the answer as unknown
/// from that page on. It proves only statements that hold regardless of that answer, and never uses such an answer in a
/// counterexample.
///
/// If the budget runs out, [`ends`](Self::ends), [`named`](Self::named) and [`contactable`](Self::contactable) may
/// still be provable from the page graph in linear time. For example, if no page is on a cycle, no walk returns to a
/// page.
///
/// A proof cannot evaluate a rule with an unknown operator, join or action, a malformed condition, or an operator of
/// the host. A statement is proved only if it holds whether or not such a rule matches. It is refuted only by answers
/// whose walk does not depend on such a rule.
///
/// ```
/// use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Verdict, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{
///     "pages":[{"id":"p","fields":[{"id":"q","type":"number","required":true,"min":0}]}],
///     "logic":{"rules":[{"fromPageId":"p","then":{"kind":"jump","target":"p"},
///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"gt","value":9}]}],"outerOp":"OR"}]}}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
/// let proofs = form.prove();
/// assert_eq!(proofs.ends, Verdict::Refuted(Answers::new().with("q", 10)));
/// assert_eq!(proofs.pages, Verdict::Proved);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proofs {
    /// No answers lead back to a visited page. A counterexample consists of answers that do.
    pub ends: Verdict<Answers>,
    /// Every page is reachable with some answers. The counterexamples are the unreachable pages, by index in
    /// [`Questionnaire::pages`].
    pub pages: Verdict<Vec<usize>>,
    /// Every ending in the settings is reachable with some answers. The counterexamples are the unreachable endings, by
    /// index in [`Questionnaire::endings`].
    pub endings: Verdict<Vec<usize>>,
    /// Every lead has a name. The answers of a counterexample create a lead without a name.
    pub named: Verdict<Answers>,
    /// Every lead has an email address or a phone number. The answers of a counterexample create a lead with neither.
    pub contactable: Verdict<Answers>,
    /// The rules that some walk reaches but a proof cannot evaluate, by index in the `logic.rules` of the compiled
    /// version.
    pub undecided: Vec<usize>,
    /// Whether the budget was sufficient to explore all combinations of answers.
    pub complete: bool,
}

impl Questionnaire<'_> {
    /// Proves or refutes the properties that every form should have. See [`Proofs`].
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, FormRecord, Policy, Verdict, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","mappedKey":"name"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert!(matches!(form.prove().named, Verdict::Refuted(answers) if answers.of("q").is_none()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn prove(&self) -> Proofs {
        self.explore().proofs
    }
}
