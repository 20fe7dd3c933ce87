//! Walks through a form. A walk starts at the first page, and the rules and the answers decide which page comes next.

mod fill;
mod finish;
mod json;
mod lead;
mod name_source;
mod placement;
mod question_json;
mod step;
#[cfg(test)]
mod tests;
mod traverse;
mod tried;

pub use fill::Escape;
pub use finish::{Finish, Verification, VerificationKind};
pub(super) use lead::is_contact;
pub use lead::{Attribute, FormLead, NoLead};
pub use name_source::NameSource;
pub(super) use name_source::{STAND_INS, is_name};
pub use step::{SkipReason, SkippedRule, Step, StepQuestion};
pub use tried::{TriedCondition, TriedRule, TriedRuleResult};

use std::borrow::Cow;

use super::{
    answer::{Answer, Answers},
    plan::{Placement, QuestionPlan, Questionnaire, Slot},
    problem::Problem,
};

/// A walk through a form: the path of pages that the answers select, and the outcome.
///
/// A walk depends only on the form and on the answers on its path. A visitor who goes back and takes another path
/// leaves stale answers behind, but stale answers never influence routing, the score, labels or the lead.
///
/// ```
/// use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"a"},{"id":"b"}]}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
/// let answers = Answers::new().with("stale", 1);
/// let walk = form.walk(&answers);
/// assert_eq!(walk.steps().map(|step| step.page()).collect::<Vec<_>>(), [Some("a"), Some("b")]);
/// assert_eq!(walk.pruned(), Answers::new());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    form: &'a Questionnaire<'a>,
    /// The answer to each question, if any.
    given: Vec<Option<&'a Answer>>,
    /// The valid answers of the visited pages.
    slots: Vec<Slot<'a>>,
    /// The current values of the scores that conditions read.
    scores: Vec<Option<i64>>,
    visits: Vec<Visit>,
    /// For each page, its position on the path, if the walk visited it.
    steps: Vec<Option<usize>>,
    /// The placement of the last rule that the walk followed and that has one.
    placement: Option<&'a Placement>,
    /// The skipped rules, each with the position on the path at which it was skipped.
    skipped_rules: Vec<(usize, SkippedRule<'a>)>,
    end: End,
}

#[derive(Clone, Copy, Debug)]
struct Visit {
    page: usize,
    uncertain: bool,
}

/// The end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Empty,
    Awaiting,
    Loop(usize),
    Ending(Option<usize>),
}

/// The result of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The walk reached an ending, so the form is complete.
    Finished(Finish<'a>),
    /// The walk stopped at the last page of the path, because answers on it are missing or invalid.
    Awaiting {
        /// The problems, each with the id of its question, in the order of the questions.
        problems: Vec<(&'a str, Problem)>,
    },
    /// The rules lead back to a page on the path, so these answers never lead to an ending.
    Loop {
        /// The id of the page that would be visited twice.
        page: Option<&'a str>,
    },
    /// The form has no pages.
    Empty,
}

impl<'a> Walk<'a> {
    /// Returns the result of the walk.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Outcome, Policy, Version};
    /// let record: FormRecord = serde_json::from_str("{}")?;
    /// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// assert_eq!(form.walk(&Answers::new()).outcome(), Outcome::Empty);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn outcome(&self) -> Outcome<'a> {
        match self.end {
            End::Empty => Outcome::Empty,
            End::Ending(ending) => Outcome::Finished(Finish::new(self, ending)),
            End::Loop(page) => Outcome::Loop { page: self.form.pages.get(page).and_then(|page| page.id) },
            End::Awaiting => {
                let questions = self.visits.last().map(|visit| self.questions(visit.page)).into_iter().flatten();
                let problem = |(index, question): (usize, &'a QuestionPlan<'a>)| {
                    Some((question.id, question.read(self.given(index)).err()?))
                };
                Outcome::Awaiting { problems: questions.filter_map(problem).collect() }
            }
        }
    }

    /// Iterates over the pages on the path, in the order in which the walk visits them.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"title":"Hello"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.walk(&Answers::new()).steps().map(|step| step.title()).collect::<Vec<_>>(), ["Hello"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn steps(&self) -> impl Iterator<Item = Step<'_, 'a>> {
        (0..self.visits.len()).map(|number| Step::new(self, number))
    }

    /// Returns the visitor's progress, from 0 to 1. It increases with every page and reaches 1 only at an ending.
    ///
    /// After `k` completed pages, the progress is `k / (k + ahead)`, where `ahead` is the length of the longest path
    /// that could follow, regardless of the answers. If that path enters a cycle, `ahead` counts all unvisited pages on
    /// the cycle.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"pages":[{"id":"a"},{"id":"b","fields":[{"id":"q","required":true}]}]}}"#,
    /// )?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.walk(&Answers::new()).progress(), 0.5);
    /// assert_eq!(form.walk(&Answers::new().with("q", true)).progress(), 1.0);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn progress(&self) -> f64 {
        match self.end {
            End::Ending(_) => 1.0,
            End::Empty | End::Awaiting | End::Loop(_) => self.steps().last().map_or(0.0, Step::progress),
        }
    }

    /// Returns the sum of the scores of the chosen options on the path. A score that is not a whole number counts as 0.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[
    ///     {"id":"q","type":"single_choice","options":[{"id":"a","score":5},{"id":"b","score":7}]}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.walk(&Answers::new().with("q", "b")).score(), 7);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn score(&self) -> i64 {
        let answers = self.form.questions.iter().zip(&self.slots);
        answers.fold(0, |sum, (question, slot)| sum.saturating_add(question.score(slot)))
    }

    /// Returns the score of the first `steps` pages of the path.
    fn score_at(&self, steps: usize) -> i64 {
        let asked = self.visits.iter().take(steps).flat_map(|visit| self.questions(visit.page));
        asked.fold(0, |sum, (index, question)| sum.saturating_add(question.score(&self.slot(index))))
    }

    /// Returns the answers to questions on the path. A walk with only these answers has the same outcome.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.walk(&Answers::new().with("q", 1).with("r", 2)).pruned(), Answers::new().with("q", 1));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn pruned(&self) -> Answers {
        let asked = self.visits.iter().flat_map(|visit| self.questions(visit.page));
        asked.filter_map(|(index, question)| Some((question.id, self.given(index)?.clone()))).collect()
    }

    fn given(&self, question: usize) -> Option<&'a Answer> {
        self.given.get(question).copied().flatten()
    }

    fn slot(&self, question: usize) -> Slot<'a> {
        self.slots.get(question).copied().unwrap_or_default()
    }

    /// Returns the questions of a page, each with its index among all questions.
    fn questions(&self, page: usize) -> impl Iterator<Item = (usize, &'a QuestionPlan<'a>)> + use<'a> {
        let form = self.form;
        let range = form.pages.get(page).map(|page| page.questions.clone()).unwrap_or_default();
        range.filter_map(|index| Some((index, form.questions.get(index)?)))
    }

    /// Returns the valid answers on the path, in path order.
    fn answered(&self) -> impl Iterator<Item = PathAnswer<'_, 'a>> {
        let asked = self.visits.iter().enumerate();
        let asked = asked.flat_map(|(step, visit)| self.questions(visit.page).map(move |asked| (step, asked)));
        asked.filter_map(|(step, (index, question))| {
            let slot = self.slot(index);
            let text = question.text(&slot)?;
            Some(PathAnswer { step: Step::new(self, step), index, question, slot, answer: self.given(index)?, text })
        })
    }
}

/// A valid answer on the path.
struct PathAnswer<'w, 'a> {
    step: Step<'w, 'a>,
    index: usize,
    question: &'a QuestionPlan<'a>,
    slot: Slot<'a>,
    answer: &'a Answer,
    text: Cow<'a, str>,
}
