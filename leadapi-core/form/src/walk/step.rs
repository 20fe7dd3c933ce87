//! The pages on a walk's path, ready to display.

use std::borrow::Cow;

use super::{Escape, Walk};
use crate::{Question, QuestionType, answer::Answer, plan::QuestionPlan};

/// A page on the path of a walk.
///
/// ```
/// use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"a","title":"Hello"},{"id":"b"}]}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
/// let answers = Answers::new();
/// let walk = form.walk(&answers);
/// let steps: Vec<_> = walk.steps().collect();
/// assert_eq!((steps[0].page(), steps[0].title(), steps[0].progress()), (Some("a"), "Hello", 0.0));
/// assert_eq!((steps[1].page(), steps[1].title(), steps[1].progress()), (Some("b"), "", 0.5));
/// assert!(steps[0].skipped_rules().is_empty() && !steps[0].is_uncertain());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Step<'w, 'a> {
    pub(super) walk: &'w Walk<'a>,
    number: usize,
}

/// A question on a page of a walk's path.
///
/// ```
/// use leadapi_form::{Questionnaire, Answer, Answers, FormRecord, Policy, QuestionType, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","type":"short_text"}]}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
/// let answers = Answers::new().with("q", " Ann ");
/// let walk = form.walk(&answers);
/// let question = walk.steps().flat_map(|step| step.questions()).next().ok_or("no question")?;
/// assert_eq!((question.id(), question.record().kind.get()), ("q", Some(&QuestionType::ShortText)));
/// assert_eq!((question.answer(), question.text().as_deref()), (Some(&Answer::from(" Ann ")), Some("Ann")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StepQuestion<'w, 'a> {
    step: Step<'w, 'a>,
    index: usize,
    pub(super) question: &'a QuestionPlan<'a>,
}

/// A rule that the walk skipped because it could not be evaluated or followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedRule<'a> {
    /// The id of the rule, if it has one.
    pub rule: Option<&'a str>,
    /// The index of the rule in the `logic.rules` of the compiled version.
    pub at: usize,
    /// The reason why the walk skipped the rule.
    pub reason: SkipReason,
}

/// The reason why a walk skipped a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The walk could not decide whether the conditions hold, because an operator or a join is unknown, a condition is
    /// malformed, or an operator of the host did not return a result. The step is uncertain.
    UncertainConditions,
    /// The conditions hold, but the action is not `jump`. The step is uncertain.
    UnknownJump,
    /// The conditions hold, but the target page or ending does not exist.
    MissingTarget,
}

impl SkipReason {
    /// Returns the stable, machine-readable name of the reason.
    ///
    /// ```
    /// assert_eq!(leadapi_form::SkipReason::MissingTarget.as_str(), "missing_target");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UncertainConditions => "uncertain_conditions",
            Self::UnknownJump => "unknown_jump",
            Self::MissingTarget => "missing_target",
        }
    }
}

impl<'w, 'a> Step<'w, 'a> {
    pub(super) fn new(walk: &'w Walk<'a>, number: usize) -> Self {
        Self { walk, number }
    }

    /// Replaces the placeholders in `text` with answers from the pages up to and including this one.
    pub(super) fn fill(self, text: &str, fallback: &str, escape: Escape) -> String {
        self.walk.fill_at(self.count(), text, fallback, escape)
    }

    /// Returns the number of steps up to and including this one.
    pub(super) fn count(self) -> usize {
        self.number + 1
    }

    pub(super) fn index(self) -> usize {
        self.walk.visits.get(self.number).map_or(usize::MAX, |visit| visit.page)
    }

    /// Returns the id of the page, or `None` if its id is missing or a duplicate.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert!(form.walk(&Answers::new()).steps().all(|step| step.page() == None));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn page(self) -> Option<&'a str> {
        self.walk.form.pages.get(self.index()).and_then(|page| page.id)
    }

    /// Returns the title of the page, or an empty string if it has none.
    pub fn title(self) -> &'a str {
        self.walk.form.pages.get(self.index()).map_or("", |page| &*page.title)
    }

    /// Iterates over the questions on the page.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","label":"Why?"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let answers = Answers::new();
    /// let walk = form.walk(&answers);
    /// let ids: Vec<&str> = walk.steps().flat_map(|step| step.questions()).map(|question| question.id()).collect();
    /// assert_eq!(ids, ["q"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn questions(self) -> impl Iterator<Item = StepQuestion<'w, 'a>> {
        self.walk.questions(self.index()).map(move |(index, question)| StepQuestion { step: self, index, question })
    }

    /// Returns whether the walk skipped a rule because it could not evaluate the rule's conditions or does not know the
    /// rule's action. The walk continued as if the rule did not match.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"p"}],"logic":{"rules":[
    ///     {"id":"r","fromPageId":"p","groups":[{"conds":[{"op":"sounds_like"}]}]}]}}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let answers = Answers::new();
    /// let walk = form.walk(&answers);
    /// let step = walk.steps().next().ok_or("no step")?;
    /// assert!(step.is_uncertain());
    /// assert_eq!(step.skipped_rules()[0].rule, Some("r"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_uncertain(self) -> bool {
        self.walk.visits.get(self.number).is_some_and(|visit| visit.uncertain)
    }

    /// Returns the rules that the walk skipped on this page, with the reasons, in the order in which it tried them. The
    /// list is empty if the walk has not left the page.
    pub fn skipped_rules(self) -> Vec<SkippedRule<'a>> {
        let skipped_rules = &self.walk.skipped_rules;
        let first = skipped_rules.partition_point(|(number, _)| *number < self.number);
        let of_step = skipped_rules.iter().skip(first).take_while(|(number, _)| *number == self.number);
        of_step.map(|(_, skipped)| *skipped).collect()
    }

    /// Returns the visitor's progress on arrival at the page. It is always less than 1. See [`Walk::progress`].
    pub fn progress(self) -> f64 {
        let graph = &self.walk.form.graph;
        let scc = graph.scc(self.index());
        let before = self.walk.visits.iter().take(self.number);
        let in_scc = before.filter(|visit| graph.scc(visit.page) == scc).count();
        let count = |pages: usize| u32::try_from(pages).map_or(f64::from(u32::MAX), f64::from);
        let finished = count(self.number);
        finished / (finished + count(graph.max_remaining(self.index(), in_scc).max(1)))
    }
}

impl<'a> StepQuestion<'_, 'a> {
    /// Returns the id of the question.
    pub fn id(self) -> &'a str {
        self.question.id
    }

    /// Returns the question's record, which contains its type, options and limits.
    pub fn record(self) -> &'a Question {
        self.question.record
    }

    /// Returns the type of the question, with aliases resolved. See [`Question::question_type`].
    pub fn question_type(self) -> Option<QuestionType> {
        self.question.record.question_type()
    }

    /// Iterates over the options of a choice. Yields the id of each option, and its label in the language of the
    /// [`Policy`](crate::Policy).
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","type":"dropdown","options":[
    ///     {"id":"a","label":{"en":"Yes, please","de":"Ja, bitte"}},{"id":"b"}]}]}}"#)?;
    /// let mut policy = Policy::default();
    /// policy.locale = Some("de-AT".into());
    /// let form = Questionnaire::compile(&record, Version::Draft, &policy);
    /// let answers = Answers::new();
    /// let walk = form.walk(&answers);
    /// let question = walk.steps().flat_map(|step| step.questions()).next().ok_or("no question")?;
    /// assert_eq!(question.options().collect::<Vec<_>>(), [("a", "Ja, bitte"), ("b", "b")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn options(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let options = self.question.kind.options().into_iter().flat_map(|options| options.iter());
        options.map(|option| (option.id, &*option.label))
    }

    /// Returns the label. Its placeholders are filled with answers from the pages up to and including the question's
    /// page, as in [`Walk::fill`].
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, Escape, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[
    ///     {"id":"a","fields":[{"id":"q_name","type":"short_text","mappedKey":"name"}]},
    ///     {"id":"b","fields":[{"id":"q_why","label":"{name}, why?"}]}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let answers = Answers::new().with("q_name", "Ann & Ben");
    /// let walk = form.walk(&answers);
    /// let last = walk.steps().flat_map(|step| step.questions()).last().ok_or("no question")?;
    /// assert_eq!(last.label("Friend", Escape::Plain), "Ann & Ben, why?");
    /// assert_eq!(last.label("Friend", Escape::Html), "Ann &amp; Ben, why?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn label(self, fallback: &str, escape: Escape) -> String {
        self.step.fill(&self.question.label, fallback, escape)
    }

    /// Returns the answer, valid or not.
    pub fn answer(self) -> Option<&'a Answer> {
        self.step.walk.given(self.index)
    }

    /// Returns the text of a valid answer, as `FORMS.md` describes it for each type of question, in the locale of the
    /// [`Policy`](crate::Policy). Returns `None` if there is no valid answer.
    pub fn text(self) -> Option<Cow<'a, str>> {
        self.question.text(&self.step.walk.slot(self.index))
    }
}
