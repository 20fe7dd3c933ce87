//! The order of pages in the graph: which pages can follow a given page, and which pages are reachable without visiting
//! it.

use std::collections::HashMap;

use crate::plan::{Dominators, Graph, Questionnaire};

/// The units of work per step of the policy's budget. A search spends one unit on each page that it visits and on each
/// edge that it follows.
const WORK: usize = 16;

/// The maximum number of cached entries across all searches.
const MAX_CACHED: usize = 4_000_000;

/// Answers queries about the order in which walks can visit pages, most of them without a search.
pub(super) struct PageOrder<'f> {
    graph: &'f Graph,
    dominators: Dominators,
    /// The cached results: for each page from which a search started, which pages it can reach.
    searches: HashMap<usize, Vec<bool>>,
    work: usize,
}

impl<'f> PageOrder<'f> {
    pub(super) fn new(form: &'f Questionnaire<'_>) -> Self {
        let graph = &form.graph;
        let next: Vec<Vec<usize>> = (0..form.pages.len()).map(|page| graph.next(page).collect()).collect();
        let work = form.policy.budget.saturating_mul(WORK);
        Self { graph, dominators: Dominators::new(&next), searches: HashMap::new(), work }
    }

    /// Returns whether a path leads from `first` to `page`. A page can always follow itself. Returns `None` if the
    /// budget runs out.
    pub(super) fn can_follow(&mut self, page: usize, first: usize) -> Option<bool> {
        let (from, to) = (self.graph.scc(first), self.graph.scc(page));
        if from >= to {
            return Some(from == to);
        }
        if self.dominators.is_search_ancestor(first, page) {
            return Some(true);
        }
        if !self.searches.contains_key(&first) {
            if (self.searches.len() + 1).saturating_mul(self.graph.targets.len()) > MAX_CACHED {
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
        let mut stack = vec![first];
        while let Some(page) = stack.pop() {
            let Some(seen) = reached.get_mut(page) else { continue };
            if !std::mem::replace(seen, true) {
                let pending = stack.len();
                stack.extend(self.graph.next(page));
                self.work = self.work.checked_sub(1 + stack.len() - pending)?;
            }
        }
        Some(reached)
    }

    /// Returns whether a path from the first page of the form leads to `page` without passing through `bypassed`.
    pub(super) fn can_bypass(&self, page: usize, bypassed: usize) -> bool {
        self.dominators.is_reachable(page)
            && !(self.dominators.is_reachable(bypassed) && self.dominators.dominates(bypassed, page))
    }
}
