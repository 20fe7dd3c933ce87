//! Live-variable analysis, which determines the answers and scores that later rules can still read.

use super::{
    super::plan::{Cond, Jump, PagePlan, Questionnaire},
    budget::Budget,
};

/// For each question and each score, the pages on which its value matters.
pub(super) struct Liveness {
    questions: Vec<Live>,
    scores: Vec<Live>,
}

#[derive(Clone, Default)]
struct Live {
    /// Whether a rule on the page of the question or score, or on a later page, reads the value.
    is_read: bool,
    /// The other pages on which the value still matters, sorted. For the total score, this is every page on which it
    /// matters.
    pages: Vec<usize>,
}

/// The pages whose rules read each question and each score.
struct Readers {
    questions: Vec<Vec<usize>>,
    scores: Vec<Vec<usize>>,
}

impl Liveness {
    /// Searches backwards from each page whose rules read a question or a score to the page that determines its value.
    /// Returns `None` if the budget runs out.
    pub(super) fn new(form: &Questionnaire<'_>, budget: &Budget) -> Option<Self> {
        let readers = Readers::new(form);
        let mut before = vec![Vec::new(); form.pages.len()];
        for page in 0..form.pages.len() {
            for next in form.graph.next(page) {
                before.get_mut(next).into_iter().for_each(|before| before.push(page));
            }
        }
        // For each page, the last search that visited it.
        let mut visited = vec![usize::MAX; form.pages.len()];
        let mut search = 0..;
        let mut live = |readers: Vec<usize>, own: Option<usize>| {
            let mut live = Live::default();
            let mut open = readers;
            let search = search.next()?;
            while let Some(page) = open.pop() {
                // The search stops at the page that determines the value. On earlier pages there is no value yet, and
                // no walk returns to them.
                if Some(page) == own {
                    live.is_read = true;
                    continue;
                }
                let Some(visited) = visited.get_mut(page).filter(|visited| **visited != search) else { continue };
                *visited = search;
                let before = before.get(page).map_or(&[][..], Vec::as_slice);
                budget.spend(1 + before.len())?;
                budget.allocate(size_of::<usize>())?;
                live.pages.push(page);
                open.extend(before);
            }
            live.pages.sort_unstable();
            Some(live)
        };
        let questions = readers.questions.into_iter().zip(&form.questions);
        let questions =
            questions.map(|(readers, question)| live(readers, Some(question.page))).collect::<Option<_>>()?;
        let scores = readers.scores.into_iter().zip(&form.scores.pages);
        let scores = scores.map(|(readers, page)| live(readers, *page)).collect::<Option<_>>()?;
        Some(Self { questions, scores })
    }

    /// Returns whether a rule on the question's page or on a later page reads the answer.
    pub(super) fn is_read(&self, question: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.is_read)
    }

    /// Returns whether an earlier answer to the question matters on a page.
    pub(super) fn is_live(&self, question: usize, page: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.pages.binary_search(&page).is_ok())
    }

    /// Returns whether the points of a page matter for one of the scores.
    pub(super) fn counts(&self, page: usize, scores: &[usize]) -> bool {
        scores
            .iter()
            .any(|score| self.scores.get(*score).is_some_and(|live| live.is_read) || self.is_score_live(*score, page))
    }

    /// Returns whether the value that a score has on arrival at a page matters.
    pub(super) fn is_score_live(&self, score: usize, page: usize) -> bool {
        self.scores.get(score).is_some_and(|live| live.pages.binary_search(&page).is_ok())
    }
}

impl Readers {
    fn new(form: &Questionnaire<'_>) -> Self {
        let mut readers = Self {
            questions: vec![Vec::new(); form.questions.len()],
            scores: vec![Vec::new(); form.scores.pages.len()],
        };
        for (page, plan) in form.pages.iter().enumerate() {
            for cond in conditions(plan) {
                let readers = match cond {
                    Cond::Ask { question, .. } => readers.questions.get_mut(*question),
                    Cond::Score { score, .. } => readers.scores.get_mut(*score),
                    // The result of these conditions depends on no answer and no score that a proof knows.
                    Cond::Unknown | Cond::Never | Cond::Host { .. } => None,
                };
                readers
                    .into_iter()
                    .filter(|readers| readers.last() != Some(&page))
                    .for_each(|readers| readers.push(page));
            }
        }
        readers
    }
}

fn conditions<'p>(page: &'p PagePlan<'_>) -> impl Iterator<Item = &'p Cond<'p>> {
    page.rules.iter().filter(|rule| !matches!(rule.jump, Jump::Missing)).flat_map(|rule| rule.groups.conds())
}
