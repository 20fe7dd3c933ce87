//! The graph of the pages, regardless of answers, and the longest path from each page.

use super::{PagePlan, Questionnaire, Target, rule::Jump};

/// The pages and the jumps between them.
#[derive(Debug, Default)]
pub(in crate::form) struct Graph {
    /// The possible targets of each page, in the order in which a walk tries them.
    pub targets: Vec<Vec<Target>>,
    /// The strongly connected component of each page. Components are numbered in topological order: every jump between
    /// two of them goes to the higher number.
    knots: Vec<usize>,
    /// The number of pages in each component.
    sizes: Vec<usize>,
    /// The maximum number of pages that a walk can visit from each component on, counting all of its own pages.
    lengths: Vec<usize>,
}

impl Graph {
    pub(super) fn new(form: &Questionnaire<'_>) -> Self {
        let targets = form.pages.iter().enumerate().map(|(index, page)| targets(page, form.after(index)));
        let mut graph = Self { targets: targets.collect(), ..Self::default() };
        graph.tie();
        graph.measure();
        graph
    }

    /// Returns the pages that a page can lead to.
    pub(in crate::form) fn next(&self, page: usize) -> impl Iterator<Item = usize> {
        let targets = self.targets.get(page).into_iter().flatten();
        targets.filter_map(|target| if let Target::Page(page) = target { Some(*page) } else { None })
    }

    pub(in crate::form) fn knot(&self, page: usize) -> usize {
        self.knots.get(page).copied().unwrap_or_default()
    }

    /// Returns whether the page is on a cycle of the graph.
    pub(in crate::form) fn is_knotted(&self, page: usize) -> bool {
        self.sizes.get(self.knot(page)).is_some_and(|size| *size > 1) || self.next(page).any(|next| next == page)
    }

    /// Returns the maximum number of pages that a walk can still finish, including this one, given how many pages of
    /// its component it has finished.
    pub(in crate::form) fn ahead(&self, page: usize, finished_of_knot: usize) -> usize {
        self.lengths.get(self.knot(page)).copied().unwrap_or_default().saturating_sub(finished_of_knot)
    }

    /// Returns the pages that are reachable from `from` (included) through pages that `through` accepts.
    pub(in crate::form) fn reached(
        &self,
        from: impl IntoIterator<Item = usize>,
        through: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut reached = vec![false; self.targets.len()];
        let mut open: Vec<usize> = from.into_iter().collect();
        while let Some(page) = open.pop() {
            let Some(seen) = reached.get_mut(page) else { continue };
            if !std::mem::replace(seen, true) && through(page) {
                open.extend(self.next(page));
            }
        }
        reached
    }

    /// Finds the strongly connected components with Kosaraju's algorithm. It does not recurse, because an untrusted
    /// record may have any number of pages.
    fn tie(&mut self) {
        let count = self.targets.len();
        let mut back = vec![Vec::new(); count];
        for page in 0..count {
            for next in self.next(page) {
                if let Some(back) = back.get_mut(next) {
                    back.push(page);
                }
            }
        }
        let left = self.left_in_order();
        self.knots = vec![usize::MAX; count];
        for page in left.into_iter().rev() {
            let mut open = vec![page];
            let knot = self.sizes.len();
            let mut size = 0;
            while let Some(page) = open.pop() {
                if let Some(own) = self.knots.get_mut(page).filter(|own| **own == usize::MAX) {
                    *own = knot;
                    size += 1;
                    open.extend(back.get(page).into_iter().flatten());
                }
            }
            if size > 0 {
                self.sizes.push(size);
            }
        }
    }

    /// Returns the pages in postorder of a depth-first search.
    fn left_in_order(&self) -> Vec<usize> {
        let count = self.targets.len();
        let (mut seen, mut left) = (vec![false; count], Vec::with_capacity(count));
        for first in 0..count {
            let mut open = vec![(first, false)];
            while let Some((page, done)) = open.pop() {
                if done {
                    left.push(page);
                } else if seen.get_mut(page).is_some_and(|seen| !std::mem::replace(seen, true)) {
                    open.push((page, true));
                    open.extend(self.next(page).map(|next| (next, false)));
                }
            }
        }
        left
    }

    fn measure(&mut self) {
        let mut pages: Vec<usize> = (0..self.targets.len()).collect();
        pages.sort_by_key(|page| std::cmp::Reverse(self.knot(*page)));
        let mut lengths = self.sizes.clone();
        for page in pages {
            let knot = self.knot(page);
            let beyond = self.next(page).map(|next| self.knot(next)).filter(|next| *next != knot);
            let longest = beyond.filter_map(|next| lengths.get(next).copied()).max().unwrap_or(0);
            let least = self.sizes.get(knot).map_or(0, |size| size + longest);
            if let Some(length) = lengths.get_mut(knot) {
                *length = least.max(*length);
            }
        }
        self.lengths = lengths;
    }
}

/// Returns the possible targets of a page: those of its rules up to the first unconditional one, or else the default
/// target.
fn targets(page: &PagePlan<'_>, next: Target) -> Vec<Target> {
    let mut targets = Vec::new();
    for rule in &page.rules {
        let Jump::To(target) = rule.jump else { continue };
        if rule.can_match() {
            targets.push(target);
        }
        if rule.is_certain() {
            return targets;
        }
    }
    targets.push(next);
    targets
}
