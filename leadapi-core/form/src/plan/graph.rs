//! The page graph, which ignores conditions, and a limit on the number of pages that a walk can still visit.

use super::{PagePlan, Questionnaire, Target, rule::Jump};

/// The pages and the jumps between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The possible targets of each page, in the order in which a walk tries them.
    pub targets: Vec<Vec<Target>>,
    /// The strongly connected component (SCC) of each page. Components are numbered in topological order, so a jump
    /// between two components always leads to the higher number.
    sccs: Vec<usize>,
    /// The number of pages in each component.
    sizes: Vec<usize>,
    /// For each component, an upper bound on the number of pages that a walk can visit after it enters the component.
    /// It includes all pages of the component.
    lengths: Vec<usize>,
}

impl Graph {
    pub(super) fn new(form: &Questionnaire<'_>) -> Self {
        let targets = form.pages.iter().enumerate().map(|(index, page)| targets(page, form.after(index)));
        let mut graph = Self { targets: targets.collect(), ..Self::default() };
        graph.find_components();
        graph.compute_lengths();
        graph
    }

    /// Returns the pages that a page can lead to.
    pub(crate) fn next(&self, page: usize) -> impl Iterator<Item = usize> {
        let targets = self.targets.get(page).into_iter().flatten();
        targets.filter_map(|target| if let Target::Page(page) = target { Some(*page) } else { None })
    }

    pub(crate) fn scc(&self, page: usize) -> usize {
        self.sccs.get(page).copied().unwrap_or_default()
    }

    /// Returns whether the page is on a cycle in the graph.
    pub(crate) fn is_on_cycle(&self, page: usize) -> bool {
        self.sizes.get(self.scc(page)).is_some_and(|size| *size > 1) || self.next(page).any(|next| next == page)
    }

    /// Returns an upper bound on the number of pages that a walk can still finish, including this page.
    /// `finished_in_scc` is the number of pages in the same component that the walk has already finished.
    pub(crate) fn max_remaining(&self, page: usize, finished_in_scc: usize) -> usize {
        self.lengths.get(self.scc(page)).copied().unwrap_or_default().saturating_sub(finished_in_scc)
    }

    /// Returns which pages are reachable from the pages in `from` (inclusive) through pages that `through` accepts.
    pub(crate) fn reachable(
        &self,
        from: impl IntoIterator<Item = usize>,
        through: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut reachable = vec![false; self.targets.len()];
        let mut stack: Vec<usize> = from.into_iter().collect();
        while let Some(page) = stack.pop() {
            let Some(seen) = reachable.get_mut(page) else { continue };
            if !std::mem::replace(seen, true) && through(page) {
                stack.extend(self.next(page));
            }
        }
        reachable
    }

    /// Finds the strongly connected components with Kosaraju's algorithm. It does not recurse, because an untrusted
    /// record can have enough pages to overflow the stack.
    fn find_components(&mut self) {
        let count = self.targets.len();
        let mut predecessors = vec![Vec::new(); count];
        for page in 0..count {
            for next in self.next(page) {
                if let Some(predecessors) = predecessors.get_mut(next) {
                    predecessors.push(page);
                }
            }
        }
        let postorder = self.postorder();
        self.sccs = vec![usize::MAX; count];
        for page in postorder.into_iter().rev() {
            let mut stack = vec![page];
            let scc = self.sizes.len();
            let mut size = 0;
            while let Some(page) = stack.pop() {
                if let Some(own) = self.sccs.get_mut(page).filter(|own| **own == usize::MAX) {
                    *own = scc;
                    size += 1;
                    stack.extend(predecessors.get(page).into_iter().flatten());
                }
            }
            if size > 0 {
                self.sizes.push(size);
            }
        }
    }

    /// Returns the pages in the postorder of a depth-first search.
    fn postorder(&self) -> Vec<usize> {
        let count = self.targets.len();
        let (mut seen, mut postorder) = (vec![false; count], Vec::with_capacity(count));
        for first in 0..count {
            let mut stack = vec![(first, false)];
            while let Some((page, done)) = stack.pop() {
                if done {
                    postorder.push(page);
                } else if seen.get_mut(page).is_some_and(|seen| !std::mem::replace(seen, true)) {
                    stack.push((page, true));
                    stack.extend(self.next(page).map(|next| (next, false)));
                }
            }
        }
        postorder
    }

    fn compute_lengths(&mut self) {
        let mut pages: Vec<usize> = (0..self.targets.len()).collect();
        pages.sort_by_key(|page| std::cmp::Reverse(self.scc(*page)));
        let mut lengths = self.sizes.clone();
        for page in pages {
            let scc = self.scc(page);
            let beyond = self.next(page).map(|next| self.scc(next)).filter(|next| *next != scc);
            let longest_beyond = beyond.filter_map(|next| lengths.get(next).copied()).max().unwrap_or(0);
            let total = self.sizes.get(scc).map_or(0, |size| size + longest_beyond);
            if let Some(length) = lengths.get_mut(scc) {
                *length = total.max(*length);
            }
        }
        self.lengths = lengths;
    }
}

/// Returns the possible targets of a page: the targets of its rules up to the first unconditional rule, then the
/// default target if no rule is unconditional.
fn targets(page: &PagePlan<'_>, next: Target) -> Vec<Target> {
    let mut targets = Vec::new();
    for rule in &page.rules {
        let Jump::To(target) = rule.jump else { continue };
        if rule.can_match() {
            targets.push(target);
        }
        if rule.is_unconditional() {
            return targets;
        }
    }
    targets.push(next);
    targets
}
