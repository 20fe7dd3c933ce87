//! Which answers a rule can still look at: live variables, as compilers call them.

use super::{
    super::plan::{Cond, Jump, PagePlan, Questionnaire},
    budget::Budget,
};

/// Where the answer to each question matters.
pub(super) struct Live {
    questions: Vec<LiveQuestion>,
}

#[derive(Clone, Default)]
struct LiveQuestion {
    /// Whether a rule of its own page, or of one that can follow, looks at it.
    is_looked_at: bool,
    /// The other pages on which its answer still matters, sorted.
    pages: Vec<usize>,
}

impl Live {
    /// Follows the ways back from each rule that looks at a question to the question's page. Returns `None` when the
    /// budget runs out.
    pub(super) fn new(form: &Questionnaire<'_>, budget: &Budget) -> Option<Self> {
        let mut questions = vec![LiveQuestion::default(); form.questions.len()];
        let mut lookers = vec![Vec::new(); form.questions.len()];
        for (page, plan) in form.pages.iter().enumerate() {
            for question in looked_at(plan) {
                lookers.get_mut(question).into_iter().for_each(|lookers| lookers.push(page));
            }
        }
        let mut before = vec![Vec::new(); form.pages.len()];
        for page in 0..form.pages.len() {
            for next in form.graph.next(page) {
                before.get_mut(next).into_iter().for_each(|before| before.push(page));
            }
        }
        // The last question for which each page was visited.
        let mut visited = vec![usize::MAX; form.pages.len()];
        for (index, lookers) in lookers.into_iter().enumerate() {
            let (Some(question), Some(live)) = (form.questions.get(index), questions.get_mut(index)) else { continue };
            let mut open = lookers;
            while let Some(page) = open.pop() {
                // A walk visits the question's page once: before it nothing is answered, and it never comes back.
                if page == question.page {
                    live.is_looked_at = true;
                    continue;
                }
                let Some(visited) = visited.get_mut(page).filter(|visited| **visited != index) else { continue };
                *visited = index;
                let before = before.get(page).map_or(&[][..], Vec::as_slice);
                budget.spend(1 + before.len())?;
                budget.keep(size_of::<usize>())?;
                live.pages.push(page);
                open.extend(before);
            }
            live.pages.sort_unstable();
        }
        Some(Self { questions })
    }

    /// Whether any rule that can be tried when the question has been answered looks at it.
    pub(super) fn is_looked_at(&self, question: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.is_looked_at)
    }

    /// Whether an earlier answer to the question matters on a page.
    pub(super) fn matters(&self, question: usize, page: usize) -> bool {
        self.questions.get(question).is_some_and(|live| live.pages.binary_search(&page).is_ok())
    }
}

/// The questions at which the rules of a page look.
fn looked_at(page: &PagePlan<'_>) -> Vec<usize> {
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
