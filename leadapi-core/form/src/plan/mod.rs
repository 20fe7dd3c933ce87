//! Compilation of one version of a record into typed values.
//!
//! An id that is blank, not a string, or a duplicate counts as absent. A page or an ending without an id still exists,
//! but no rule can refer to it. A question or an option without an id is left out. If two objects of the same type have
//! the same id, the id always refers to the first object.

mod amount;
mod answer_test;
mod bounds;
mod comparison;
mod condition;
#[cfg(feature = "check")]
mod dominators;
mod email;
mod ending;
mod graph;
mod keys;
mod kind;
mod limits;
mod options;
mod placement;
mod question;
mod rule;
#[cfg(feature = "check")]
mod sample;
mod score;
mod slot;
mod structured;
mod version;

use std::{borrow::Cow, collections::HashMap};

pub(super) use answer_test::Test;
pub(super) use comparison::{Comparison, Meaning};
use condition::Groups;
pub(super) use condition::{Cond, Evidence, Truth};
#[cfg(feature = "check")]
pub(super) use dominators::Dominators;
pub(super) use email::normal as normal_email;
pub use ending::Calendar;
pub(super) use ending::EndingPlan;
pub(super) use graph::Graph;
pub(super) use keys::NAME_PARTS;
pub(super) use kind::QuestionKind;
pub use kind::rating_scale;
#[cfg(feature = "check")]
pub(super) use kind::{is_alternative_member, reads_member};
use limits::PatternBudget;
pub(super) use options::{OptionPlan, Options};
pub(super) use placement::Placement;
pub(super) use question::QuestionPlan;
pub(super) use rule::{ENDING, FALLBACK, Jump, RulePlan, RuleResult, Target};
pub(super) use score::{SCORE, Scores, add, page_of_score};
pub(super) use slot::Slot;
pub(super) use version::Source;
pub use version::Version;

use super::{
    Field, FormRecord,
    locale::{choose, with_locale_of},
    placeholder::redirect_url,
    policy::Policy,
};

/// A compiled version of a [`FormRecord`], which can be walked and checked.
///
/// It borrows the record, has no mutable state and is deterministic. Compiling never fails; [`check`](Self::check)
/// reports errors in the record.
///
/// ```
/// use leadapi_form::{Questionnaire, Answers, FormRecord, Outcome, Policy, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[
///     {"id":"p","fields":[{"id":"q","type":"number","required":true}]}]}}"#)?;
/// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
/// assert!(matches!(form.walk(&Answers::new()).outcome(), Outcome::Awaiting { .. }));
/// assert!(matches!(form.walk(&Answers::new().with("q", 7)).outcome(), Outcome::Finished(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Questionnaire<'r> {
    pub(super) source: Source<'r>,
    /// The message of the built-in confirmation.
    pub(super) confirmation: Option<Cow<'r, str>>,
    /// The URL to redirect to after the walk, if it is safe.
    pub(super) redirect: Option<&'r str>,
    /// The placement of leads that neither a rule nor the ending places.
    pub(super) placement: Option<Placement>,
    pub(super) policy: Policy,
    pub(super) pages: Vec<PagePlan<'r>>,
    pub(super) questions: Vec<QuestionPlan<'r>>,
    pub(super) endings: Vec<EndingPlan<'r>>,
    /// The questions sorted by id. Answers are sorted too, so a single pass can match answers to questions.
    pub(super) sorted: Vec<(&'r str, usize)>,
    /// The questions by mapped key, in record order.
    pub(super) mapped: HashMap<&'r str, Vec<usize>>,
    pub(super) scores: Scores<'r>,
    pub(super) graph: Graph,
}

/// A compiled page: a range of the form's questions, and the page's rules in the order in which a walk tries them.
#[derive(Debug)]
pub(super) struct PagePlan<'r> {
    pub id: Option<&'r str>,
    pub title: Cow<'r, str>,
    /// The index of the page in the record's `pages`, or `None` for the page that consists of the top-level fields.
    pub at: Option<usize>,
    pub questions: std::ops::Range<usize>,
    pub rules: Vec<RulePlan<'r>>,
    /// The scores to which the page contributes.
    pub scores: Vec<usize>,
}

impl<'r> Questionnaire<'r> {
    /// Compiles a version of the form.
    ///
    /// [`Version::Live`] compiles the published snapshot. If `live_snapshot` is absent, null or an empty object, the
    /// draft is compiled instead, regardless of `live_version`. [`Questionnaire::version`] returns the version that was
    /// compiled.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"live_snapshot":{"pages":[{"id":"a"}]}}}"#)?;
    /// let live = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// assert_eq!((live.version(), live.pages().count()), (Version::Live, 1));
    /// assert_eq!(Questionnaire::compile(&record, Version::Draft, &Policy::default()).pages().count(), 0);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn compile(record: &'r FormRecord, version: Version, policy: &Policy) -> Self {
        Self::new(Source::new(record, version), policy)
    }

    fn new(source: Source<'r>, policy: &Policy) -> Self {
        let policy = &with_locale_of(source.form, policy);
        let mut questions = Vec::new();
        let mut pages = Vec::new();
        let mut ids = UniqueIds::default();
        let mut question_ids = UniqueIds::default();
        let mut patterns = PatternBudget::default();
        for (at, page) in source.pages() {
            let id = ids.claim(page.map_or(&Field::Absent, |page| &page.id));
            let first = questions.len();
            for (field, question) in super::entries(source.fields(page)) {
                if let Some(id) = question_ids.claim(&question.id) {
                    let place = (pages.len(), field);
                    questions.push(QuestionPlan::new(id, place, question, policy, &mut patterns));
                }
            }
            pages.push(PagePlan {
                id,
                title: page.and_then(|page| choose(&page.title, policy)).unwrap_or_default(),
                at,
                questions: first..questions.len(),
                rules: Vec::new(),
                scores: Vec::new(),
            });
        }
        keys::assign(&mut questions);
        let endings = EndingPlan::all(&source, policy);
        let mut sorted: Vec<(&str, usize)> =
            questions.iter().enumerate().map(|(index, question)| (question.id, index)).collect();
        sorted.sort_unstable();
        let mut mapped: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, question) in questions.iter().enumerate() {
            if let Some(key) = question.key {
                mapped.entry(key).or_default().push(index);
            }
        }
        let confirmation = choose(source.confirmation, policy);
        let redirect = source.settings.and_then(|settings| redirect_url(settings.redirect_url.as_str()?));
        let placement = source.form.and_then(|form| Placement::new(&form.target_pipeline_id, &Field::Absent));
        let is_question = |id: &str| sorted.binary_search_by_key(&id, |(id, _)| id).is_ok();
        let scores = Scores::new(source.rules().map(|(_, rule)| rule), is_question, &mut pages);
        let (policy, graph) = (policy.clone(), Graph::default());
        let mut form = Self {
            source,
            confirmation,
            redirect,
            placement,
            policy,
            pages,
            questions,
            endings,
            sorted,
            mapped,
            scores,
            graph,
        };
        rule::link(&mut form);
        form.graph = Graph::new(&form);
        form
    }

    /// Iterates over the ids of the pages, in order. Yields `None` for a page whose id is missing or a duplicate.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"a"},{"id":"a"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.pages().collect::<Vec<_>>(), [Some("a"), None]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn pages(&self) -> impl Iterator<Item = Option<&'r str>> {
        self.pages.iter().map(|page| page.id)
    }

    /// Returns the default target of the last page: the first ending, or the built-in confirmation.
    pub(super) fn first_ending(&self) -> Target {
        Target::Ending(if self.endings.is_empty() { None } else { Some(0) })
    }

    /// Returns the target that follows a page if no rule matches.
    pub(super) fn after(&self, page: usize) -> Target {
        if page + 1 < self.pages.len() { Target::Page(page + 1) } else { self.first_ending() }
    }

    /// Returns whether a page has a required question.
    pub(super) fn has_required(&self, page: usize) -> bool {
        let questions = self.pages.get(page).and_then(|page| self.questions.get(page.questions.clone()));
        questions.unwrap_or_default().iter().any(|question| question.required)
    }

    /// Returns whether an ending creates a lead.
    pub(super) fn creates_lead(&self, ending: Option<usize>) -> bool {
        let by_default = self.policy.lead_by_default;
        ending.and_then(|index| self.endings.get(index)).map_or(by_default, |ending| ending.creates_lead(by_default))
    }

    /// Returns the pages and the endings that are reachable in the graph, regardless of answers.
    pub(super) fn reachable(&self) -> (Vec<bool>, std::collections::BTreeSet<usize>) {
        let pages = self.graph.reachable([0], |_| true);
        let reached = pages.iter().zip(&self.graph.targets).filter(|(reached, _)| **reached);
        let endings = reached.flat_map(|(_, targets)| targets).filter_map(|target| match target {
            Target::Ending(ending) => *ending,
            Target::Page(_) => None,
        });
        let endings = endings.collect();
        (pages, endings)
    }

    /// Returns the index of the question with this id.
    pub(super) fn question(&self, id: &str) -> Option<usize> {
        let at = self.sorted.binary_search_by_key(&id, |(id, _)| id).ok()?;
        self.sorted.get(at).map(|(_, index)| *index)
    }
}

/// The ids claimed so far.
#[derive(Default)]
pub(super) struct UniqueIds<'r>(std::collections::HashSet<&'r str>);

impl<'r> UniqueIds<'r> {
    /// Claims the id. Returns `None` if it is missing or a duplicate.
    pub(super) fn claim(&mut self, id: &'r Field<String>) -> Option<&'r str> {
        let id = non_blank(id)?;
        self.0.insert(id).then_some(id)
    }
}

/// Returns the string, or `None` if it is missing or blank.
pub(super) fn non_blank(text: &Field<String>) -> Option<&str> {
    text.as_str().filter(|text| !text.trim().is_empty())
}
