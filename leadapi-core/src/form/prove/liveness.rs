//! Live-variable analysis, which determines the answers that later rules can still read.

use super::{
    super::plan::{Cond, Jump, PagePlan, Questionnaire},
    budget::Budget,
};

/// For each question, the pages on which its answer matters.
pub(super) struct Liveness {
    questions: Vec<QuestionLiveness>,
}

#[derive(Clone, Default)]
struct QuestionLiveness {
    /// Whether a rule on the question's page or on a later page reads the answer.
    is_read: bool,
    /// The other pages on which the answer still matters, sorted.
    pages: Vec<usize>,
}

impl Liveness {
    /// Searches backwards from each page whose rules read a question to the page with that question. Returns `None` if
    /// the budget runs out.
    pub(super) fn new(form: &Questionnaire<'_>, budget: &Budget) -> Option<Self> {
        let mut questions = vec![QuestionLiveness::default(); form.questions.len()];
        let mut readers = vec![Vec::new(); form.questions.len()];
        for (page, plan) in form.pages.iter().enumerate() {
            for question in questions_read(plan) {
                readers.get_mut(question).into_iter().for_each(|readers| readers.push(page));
            }
        }
        let mut before = vec![Vec::new(); form.pages.len()];
        for page in 0..form.pages.len() {
            for next in form.graph.next(page) {
                before.get_mut(next).into_iter().for_each(|before| before.push(page));
            }
        }
        // For each page, the last question for which the search visited it.
        let mut visited = vec![usize::MAX; form.pages.len()];
        for (index, readers) in readers.into_iter().enumerate() {
            let (Some(question), Some(live)) = (form.questions.get(index), questions.get_mut(index)) else { continue };
            let mut open = readers;
            while let Some(page) = open.pop() {
                // The search stops at the question's own page. On earlier pages the question has no answer yet, and no
                // walk returns to them.
                if page == question.page {
                    live.is_read = true;
                    continue;
                }
                let Some(visited) = visited.get_mut(page).filter(|visited| **visited != index) else { continue };
                *visited = index;
                let before = before.get(page).map_or(&[][..], Vec::as_slice);
                budget.spend(1 + before.len())?;
                budget.allocate(size_of::<usize>())?;
                live.pages.push(page);
                open.extend(before);
            }
            live.pages.sort_unstable();
        }
        Some(Self { questions })
    }

    /// Returns whether a rule on the question's page or on a later page reads the answer.
    pub(super) fn is_read(&self, question: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.is_read)
    }

    /// Returns whether an earlier answer to the question matters on a page.
    pub(super) fn is_live(&self, question: usize, page: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.pages.binary_search(&page).is_ok())
    }
}

/// Returns the questions that the rules of a page read.
fn questions_read(page: &PagePlan<'_>) -> Vec<usize> {
    let jumps = page.rules.iter().filter(|rule| !matches!(rule.jump, Jump::Missing));
    let asked = jumps.flat_map(|rule| rule.groups.conds()).filter_map(|cond| match cond {
        Cond::Ask { question, .. } => Some(*question),
        Cond::Unknown | Cond::Never => None,
    });
    let mut questions: Vec<usize> = asked.collect();
    questions.sort_unstable();
    questions.dedup();
    questions
}
