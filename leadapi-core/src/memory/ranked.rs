//! A sorted set with access by rank: the number of elements before an element.
//!
//! The elements are stored in sorted vectors of bounded length, called stretches. A Fenwick tree over the lengths
//! finds the stretch of a rank, and a binary search over the last elements finds the stretch of an element. A change
//! moves elements within one stretch. The tree is rebuilt only when a stretch is added, split, merged or removed,
//! about once in hundreds of changes.

/// The maximum length of a stretch. An insert moves its elements in a fraction of a microsecond, and ten million
/// elements need only some tens of thousands of stretches.
const LONGEST: usize = 512;

#[derive(Debug)]
pub(super) struct Ranked<T> {
    /// No stretch is empty.
    stretches: Vec<Vec<T>>,
    lengths: Fenwick,
    len: usize,
}

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Self { stretches: Vec::new(), lengths: Fenwick::default(), len: 0 }
    }
}

impl<T> Ranked<T> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates from the largest element down, without the first `skip` elements.
    pub(super) fn descending(&self, skip: usize) -> impl Iterator<Item = &T> {
        let last = self.len.checked_sub(skip).and_then(|left| left.checked_sub(1));
        let (stretch, at) = last.map_or((0, None), |rank| {
            let (stretch, at) = self.lengths.find(rank);
            (stretch, Some(at))
        });
        let first = at.and_then(|at| self.stretches.get(stretch)?.get(..=at)).unwrap_or_default();
        let rest = self.stretches.get(..stretch).unwrap_or_default();
        first.iter().rev().chain(rest.iter().rev().flat_map(|stretch| stretch.iter().rev()))
    }
}

impl<T: Ord> Ranked<T> {
    /// Inserts an element, or replaces an equal one.
    pub(super) fn insert(&mut self, element: T) {
        let at = self.stretch_of(&element);
        let is_newest = at == self.stretches.len();
        if is_newest && self.stretches.last().is_none_or(|newest| newest.len() >= LONGEST) {
            // A new stretch instead of a split: elements that arrive in order, such as leads over time, leave full
            // stretches behind.
            if self.stretches.is_empty() {
                // Most filters of a small business never need a second stretch.
                self.stretches.reserve_exact(1);
            }
            self.stretches.push(vec![element]);
            return self.count_anew();
        }
        let at = at.min(self.stretches.len().saturating_sub(1));
        let Some(stretch) = self.stretches.get_mut(at) else { return };
        match if is_newest { Err(stretch.len()) } else { stretch.binary_search(&element) } {
            Ok(place) => {
                if let Some(equal) = stretch.get_mut(place) {
                    *equal = element;
                }
            }
            Err(place) => {
                stretch.insert(place, element);
                if stretch.len() <= LONGEST {
                    self.len += 1;
                    self.lengths.add(at);
                    return;
                }
                let after = stretch.split_off(LONGEST / 2);
                self.stretches.insert(at + 1, after);
                self.count_anew();
            }
        }
    }

    pub(super) fn remove(&mut self, element: &T) {
        let at = self.stretch_of(element);
        let Some(stretch) = self.stretches.get_mut(at) else { return };
        let Ok(place) = stretch.binary_search(element) else { return };
        stretch.remove(place);
        if stretch.len() <= LONGEST / 4 && self.join(at) {
            return self.count_anew();
        }
        self.len -= 1;
        self.lengths.subtract(at);
    }

    /// Returns the first stretch whose last element is not less than the element, or the number of stretches if there
    /// is none.
    fn stretch_of(&self, element: &T) -> usize {
        // New leads come last. A binary search would load the ends of many stretches that no other code uses and that
        // are not in the CPU cache.
        if self.stretches.last().is_some_and(|newest| newest.last().is_some_and(|last| last < element)) {
            return self.stretches.len();
        }
        self.stretches.partition_point(|stretch| stretch.last().is_some_and(|last| last < element))
    }
}

impl<T> Ranked<T> {
    /// Merges a short stretch with a neighbour if the result is at most half full, so that there are never many
    /// stretches; removes it if it is empty. Returns whether the number of stretches changed.
    fn join(&mut self, at: usize) -> bool {
        for first in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            let pair = self.stretches.get(first).zip(self.stretches.get(first + 1));
            if pair.is_none_or(|(a, b)| a.len() + b.len() > LONGEST / 2) {
                continue;
            }
            let mut second = self.stretches.remove(first + 1);
            if let Some(stretch) = self.stretches.get_mut(first) {
                stretch.append(&mut second);
            }
            return true;
        }
        let is_empty = self.stretches.get(at).is_some_and(Vec::is_empty);
        if is_empty {
            self.stretches.remove(at);
        }
        is_empty
    }

    fn count_anew(&mut self) {
        self.len = self.stretches.iter().map(Vec::len).sum();
        self.lengths = Fenwick::of(self.stretches.iter().map(Vec::len));
    }
}

/// A Fenwick tree of the lengths of all stretches: it finds a rank and changes a length in logarithmic time.
#[derive(Debug, Default)]
struct Fenwick(Vec<usize>);

impl Fenwick {
    fn of(lengths: impl Iterator<Item = usize>) -> Self {
        let mut sums: Vec<usize> = lengths.collect();
        for at in 0..sums.len() {
            let sum = sums.get(at).copied().unwrap_or_default();
            if let Some(above) = sums.get_mut(at | (at + 1)) {
                *above += sum;
            }
        }
        Self(sums)
    }

    fn add(&mut self, at: usize) {
        self.change(at, |sum| *sum += 1);
    }

    fn subtract(&mut self, at: usize) {
        self.change(at, |sum| *sum -= 1);
    }

    fn change(&mut self, mut at: usize, change: impl Fn(&mut usize)) {
        while let Some(sum) = self.0.get_mut(at) {
            change(sum);
            at |= at + 1;
        }
    }

    /// Returns the stretch that contains the element of this rank, and the element's index in it.
    fn find(&self, rank: usize) -> (usize, usize) {
        let (mut before, mut left) = (0, rank);
        let mut step = self.0.len().checked_ilog2().map_or(0, |log| 1 << log);
        while step > 0 {
            if let Some(sum) = self.0.get(before + step - 1).filter(|sum| **sum <= left) {
                before += step;
                left -= sum;
            }
            step /= 2;
        }
        (before, left)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Insert(u32),
        Remove(u32),
        /// Appends this many elements, each greater than all before.
        Append(u32),
        RemoveAll(u32, u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let element = 0_u32..6_000;
        let step = prop_oneof![
            4 => element.clone().prop_map(Step::Insert),
            2 => element.clone().prop_map(Step::Remove),
            1 => (1_u32..2_000).prop_map(Step::Append),
            1 => (element, 1_u32..1_500).prop_map(|(from, many)| Step::RemoveAll(from, many)),
        ];
        prop::collection::vec(step, 1..60)
    }

    proptest! {
        #[test]
        fn it_is_an_ordered_set_that_knows_ranks(steps in steps(), skips in prop::collection::vec(0_usize..8_000, 5)) {
            let (mut ranked, mut set) = (Ranked::default(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(element) => {
                        ranked.insert(element);
                        set.insert(element);
                    }
                    Step::Remove(element) => {
                        ranked.remove(&element);
                        set.remove(&element);
                    }
                    Step::Append(many) => {
                        let from = set.last().map_or(0, |last| last + 1);
                        (from..from + many).for_each(|element| ranked.insert(element));
                        set.extend(from..from + many);
                    }
                    Step::RemoveAll(from, many) => {
                        for element in from..from + many {
                            ranked.remove(&element);
                            set.remove(&element);
                        }
                    }
                }
                prop_assert_eq!((ranked.len(), ranked.is_empty()), (set.len(), set.is_empty()));
                prop_assert!(ranked.stretches.iter().all(|stretch| (1..=LONGEST).contains(&stretch.len())));
            }
            for skip in [0, set.len().saturating_sub(1), set.len()].into_iter().chain(skips) {
                prop_assert!(ranked.descending(skip).take(700).eq(set.iter().rev().skip(skip).take(700)), "skip {}", skip);
            }
            // Two neighbouring stretches are never both short, which bounds the number of stretches.
            prop_assert!(ranked.stretches.len() <= 1 + 4 * set.len().div_ceil(LONGEST / 2));
        }
    }

    #[test]
    fn what_comes_in_order_fills_its_stretches() {
        let mut ranked = Ranked::default();
        (0..10 * LONGEST).for_each(|element| ranked.insert(element));
        assert_eq!(ranked.stretches.len(), 10);
        assert!(ranked.stretches.iter().all(|stretch| stretch.capacity() == LONGEST));
    }
}
