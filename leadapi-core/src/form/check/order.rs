//! Which pages can come after a page, and which can come without it, as far as the graph of the pages knows.

use std::collections::HashMap;

use crate::form::plan::{Dominators, Graph, Questionnaire};

/// The units of work that one step of the policy's budget buys here: one page that a search visits.
const WORK: usize = 16;

/// The most entries of searches that are kept, over all of them.
const KEPT: usize = 4_000_000;

/// Answers questions about the order of pages, most of them without a search.
pub(super) struct Order<'f> {
    graph: &'f Graph,
    dominators: Dominators,
    /// The pages that searches have reached, by the page at which they began.
    searches: HashMap<usize, Vec<bool>>,
    work: usize,
}

impl<'f> Order<'f> {
    pub(super) fn new(form: &'f Questionnaire<'_>) -> Self {
        let graph = &form.graph;
        let next: Vec<Vec<usize>> = (0..form.pages.len()).map(|page| graph.next(page).collect()).collect();
        let work = form.policy.budget.saturating_mul(WORK);
        Self { graph, dominators: Dominators::new(&next), searches: HashMap::new(), work }
    }

    /// Whether a path leads from `first` to `page`; of a page to itself, too. Returns `None` when the budget has run
    /// out.
    pub(super) fn can_follow(&mut self, page: usize, first: usize) -> Option<bool> {
        let (from, to) = (self.graph.knot(first), self.graph.knot(page));
        if from >= to {
            return Some(from == to);
        }
        if self.dominators.is_found_from(first, page) {
            return Some(true);
        }
        if !self.searches.contains_key(&first) {
            if (self.searches.len() + 1).saturating_mul(self.graph.targets.len()) > KEPT {
                self.searches.clear();
            }
            let reached = self.search(first)?;
            self.searches.insert(first, reached);
        }
        Some(self.searches.get(&first).and_then(|reached| reached.get(page)) == Some(&true))
    }

    fn search(&mut self, first: usize) -> Option<Vec<bool>> {
        self.work = self.work.checked_sub(1 + self.graph.targets.len() / 64)?;
        let mut reached = vec![false; self.graph.targets.len()];
        let mut open = vec![first];
        while let Some(page) = open.pop() {
            let Some(seen) = reached.get_mut(page) else { continue };
            if !std::mem::replace(seen, true) {
                let before = open.len();
                open.extend(self.graph.next(page));
                self.work = self.work.checked_sub(1 + open.len() - before)?;
            }
        }
        Some(reached)
    }

    /// Whether a path leads from the first page of the form to `page` that does not pass through `missed`.
    pub(super) fn can_miss(&self, page: usize, missed: usize) -> bool {
        self.dominators.is_reached(page)
            && !(self.dominators.is_reached(missed) && self.dominators.dominates(missed, page))
    }
}
