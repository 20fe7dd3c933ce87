//! The dominator tree of the pages, computed with the Lengauer-Tarjan algorithm. Page A dominates page B if every path
//! from the first page to B passes through A.

/// The value that stands for a missing page or number.
const NONE: usize = usize::MAX;

/// The dominators of all pages that are reachable from the first page.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// The preorder number of each page in a depth-first search from the first page.
    numbers: Table,
    /// The size of each page's subtree in the depth-first search (DFS) tree, indexed by DFS preorder number.
    search_sizes: Vec<usize>,
    /// The preorder position of each page in the dominator tree, indexed by DFS preorder number.
    preorder: Table,
    sizes: Vec<usize>,
}

/// A table of numbers. It returns [`NONE`] for an index out of range.
#[derive(Debug, Clone)]
struct Table(Vec<usize>);

impl Table {
    fn get(&self, index: usize) -> usize {
        self.0.get(index).copied().unwrap_or(NONE)
    }

    fn set(&mut self, index: usize, value: usize) {
        if let Some(entry) = self.0.get_mut(index) {
            *entry = value;
        }
    }
}

impl Dominators {
    /// Computes the dominators from the successors of each page, in `O(edges * log pages)`.
    pub(crate) fn new(next: &[Vec<usize>]) -> Self {
        let search = Search::new(next);
        let count = search.pages.len();
        let idoms = search.immediate_dominators();
        // In both trees, a parent has a lower number than its children.
        let sizes = |parents: &Table| {
            let mut sizes = vec![1; count];
            for number in (1..count).rev() {
                let size = sizes.get(number).copied().unwrap_or(0);
                sizes.get_mut(parents.get(number)).into_iter().for_each(|parent| *parent += size);
            }
            sizes
        };
        let (search_sizes, dominated) = (sizes(&search.parents), sizes(&idoms));
        let mut free = Table(vec![0; count]);
        let mut preorder = Table(vec![0; count]);
        for (number, size) in dominated.iter().enumerate() {
            let idom = if number == 0 { NONE } else { idoms.get(number) };
            let position = if number == 0 { 0 } else { free.get(idom) };
            preorder.set(number, position);
            free.set(number, position + 1);
            free.set(idom, position + size);
        }
        Self { numbers: search.numbers, search_sizes, preorder, sizes: dominated }
    }

    /// Returns whether the page is reachable from the first page.
    pub(crate) fn is_reachable(&self, page: usize) -> bool {
        self.numbers.get(page) != NONE
    }

    /// Returns whether every path from the first page to `page` passes through `other`. Both pages must be reachable.
    pub(crate) fn dominates(&self, other: usize, page: usize) -> bool {
        let (other, page) = (self.numbers.get(other), self.numbers.get(page));
        let (Some(size), true) = (self.sizes.get(other), self.sizes.len() > page) else { return false };
        let first = self.preorder.get(other);
        (first..first + size).contains(&self.preorder.get(page))
    }

    /// Returns whether `other` is an ancestor of `page` in the search tree. If it is, a path from `other` to `page`
    /// exists. A path may also exist if `other` is not an ancestor.
    pub(crate) fn is_search_ancestor(&self, other: usize, page: usize) -> bool {
        let (other, page) = (self.numbers.get(other), self.numbers.get(page));
        self.search_sizes.get(other).is_some_and(|size| (other..other + size).contains(&page))
    }
}

/// A depth-first search from the first page. Pages are numbered in the order of discovery.
struct Search {
    numbers: Table,
    pages: Vec<usize>,
    /// The number of each page's parent in the search tree.
    parents: Table,
    /// The numbers of each page's predecessors.
    predecessors: Vec<Vec<usize>>,
}

impl Search {
    fn new(next: &[Vec<usize>]) -> Self {
        let mut numbers = Table(vec![NONE; next.len()]);
        let (mut pages, mut parents) = (Vec::new(), Vec::new());
        let mut stack: Vec<(usize, usize)> = next.first().map(|_| (0, NONE)).into_iter().collect();
        while let Some((page, parent)) = stack.pop() {
            if numbers.get(page) == NONE {
                let number = pages.len();
                numbers.set(page, number);
                pages.push(page);
                parents.push(parent);
                let next = next.get(page).into_iter().flatten();
                stack.extend(next.filter(|next| numbers.get(**next) == NONE).map(|next| (*next, number)));
            }
        }
        let mut predecessors = vec![Vec::new(); pages.len()];
        for (number, page) in pages.iter().enumerate() {
            for next in next.get(*page).into_iter().flatten() {
                predecessors.get_mut(numbers.get(*next)).into_iter().for_each(|list| list.push(number));
            }
        }
        Self { numbers, pages, parents: Table(parents), predecessors }
    }

    fn immediate_dominators(&self) -> Table {
        let count = self.pages.len();
        let mut forest = Forest {
            ancestors: Table(vec![NONE; count]),
            labels: Table((0..count).collect()),
            semi: Table((0..count).collect()),
        };
        let mut idoms = Table(vec![NONE; count]);
        // For each page, the pages whose semidominator is that page.
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); count];
        for number in (1..count).rev() {
            for predecessor in self.predecessors.get(number).into_iter().flatten() {
                let least = forest.eval(*predecessor);
                forest.semi.set(number, forest.semi.get(number).min(forest.semi.get(least)));
            }
            buckets.get_mut(forest.semi.get(number)).into_iter().for_each(|bucket| bucket.push(number));
            let parent = self.parents.get(number);
            forest.ancestors.set(number, parent);
            for other in buckets.get_mut(parent).map(std::mem::take).unwrap_or_default() {
                let least = forest.eval(other);
                let is_lower = forest.semi.get(least) < forest.semi.get(other);
                idoms.set(other, if is_lower { least } else { parent });
            }
        }
        for number in 1..count {
            if idoms.get(number) != forest.semi.get(number) {
                idoms.set(number, idoms.get(idoms.get(number)));
            }
        }
        idoms
    }
}

/// The processed part of the search tree, with compressed paths.
struct Forest {
    ancestors: Table,
    labels: Table,
    semi: Table,
}

impl Forest {
    /// Returns the number of the page with the least semidominator among the page with this number and its processed
    /// ancestors.
    fn eval(&mut self, number: usize) -> usize {
        let mut path = Vec::new();
        let mut at = number;
        while self.ancestors.get(at) != NONE && self.ancestors.get(self.ancestors.get(at)) != NONE {
            path.push(at);
            at = self.ancestors.get(at);
        }
        for at in path.into_iter().rev() {
            let ancestor = self.ancestors.get(at);
            let label = self.labels.get(ancestor);
            if self.semi.get(label) < self.semi.get(self.labels.get(at)) {
                self.labels.set(at, label);
            }
            self.ancestors.set(at, self.ancestors.get(ancestor));
        }
        self.labels.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(next: &[Vec<usize>], from: usize, without: usize) -> Vec<bool> {
        let mut reached = vec![false; next.len()];
        let mut stack = vec![from];
        while let Some(page) = stack.pop() {
            if page != without && !std::mem::replace(&mut reached[page], true) {
                stack.extend(&next[page]);
            }
        }
        reached
    }

    /// Compares dominators with plain reachability on thousands of random graphs. There are too many graphs for an
    /// exhaustive test, even with at most five pages.
    #[test]
    fn dominators_match_reachability_without_the_page() {
        let mut seed = 1_u64;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        let mut dominated = 0;
        for _ in 0..4_000 {
            let count = 1 + draw(9);
            let next: Vec<Vec<usize>> = (0..count).map(|_| (0..draw(4)).map(|_| draw(count)).collect()).collect();
            let dominators = Dominators::new(&next);
            let all = reached(&next, 0, NONE);
            for other in 0..count {
                assert_eq!(dominators.is_reachable(other), all[other], "{next:?}");
                let without = reached(&next, 0, other);
                let from = reached(&next, other, NONE);
                for page in 0..count {
                    if all[other] && all[page] {
                        assert_eq!(dominators.dominates(other, page), !without[page], "{other} {page} {next:?}");
                        assert!(!dominators.is_search_ancestor(other, page) || from[page], "{other} {page} {next:?}");
                        dominated += usize::from(other != page && other != 0 && !without[page]);
                    }
                }
            }
        }
        assert!(dominated > 1_000, "{dominated}");
    }
}
