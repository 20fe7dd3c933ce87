//! A sorted set with access by rank. The rank of an element is the number of smaller elements.
//!
//! The elements are stored in sorted vectors of bounded length, called chunks. A Fenwick tree over the chunk lengths
//! finds the chunk for a rank, and a binary search over the last elements finds the chunk for an element. An insert or
//! a removal shifts elements only within one chunk. The tree is rebuilt only when a chunk is added, split, merged or
//! removed: about once every few hundred changes.

/// The maximum length of a chunk. At this size, an insert shifts the chunk's elements in a fraction of a microsecond,
/// and ten million elements need only tens of thousands of chunks.
const MAX_CHUNK: usize = 512;

#[derive(Debug)]
pub(super) struct RankedList<T> {
    /// No chunk is empty.
    chunks: Vec<Vec<T>>,
    lengths: Fenwick,
    len: usize,
}

impl<T> Default for RankedList<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), lengths: Fenwick::default(), len: 0 }
    }
}

impl<T> RankedList<T> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the elements in descending order, skipping the `skip` largest elements.
    pub(super) fn descending(&self, skip: usize) -> impl Iterator<Item = &T> {
        let last = self.len.checked_sub(skip).and_then(|remaining| remaining.checked_sub(1));
        let (chunk, at) = last.map_or((0, None), |rank| {
            let (chunk, at) = self.lengths.find(rank);
            (chunk, Some(at))
        });
        let first = at.and_then(|at| self.chunks.get(chunk)?.get(..=at)).unwrap_or_default();
        let rest = self.chunks.get(..chunk).unwrap_or_default();
        first.iter().rev().chain(rest.iter().rev().flat_map(|chunk| chunk.iter().rev()))
    }
}

impl<T: Ord> RankedList<T> {
    /// Inserts an element, or replaces an equal one.
    pub(super) fn insert(&mut self, element: T) {
        let at = self.chunk_of(&element);
        let is_append = at == self.chunks.len();
        if is_append && self.chunks.last().is_none_or(|last_chunk| last_chunk.len() >= MAX_CHUNK) {
            // Starts a new chunk instead of splitting the last one. Elements inserted in ascending order, such as new
            // leads, then fill each chunk completely.
            if self.chunks.is_empty() {
                // Most lists of a small business never need a second chunk, so space is reserved for only one.
                self.chunks.reserve_exact(1);
            }
            self.chunks.push(vec![element]);
            return self.rebuild_index();
        }
        let at = at.min(self.chunks.len().saturating_sub(1));
        let Some(chunk) = self.chunks.get_mut(at) else { return };
        match if is_append { Err(chunk.len()) } else { chunk.binary_search(&element) } {
            Ok(position) => {
                if let Some(equal) = chunk.get_mut(position) {
                    *equal = element;
                }
            }
            Err(position) => {
                chunk.insert(position, element);
                if chunk.len() <= MAX_CHUNK {
                    self.len += 1;
                    self.lengths.add(at);
                    return;
                }
                let after = chunk.split_off(MAX_CHUNK / 2);
                self.chunks.insert(at + 1, after);
                self.rebuild_index();
            }
        }
    }

    pub(super) fn remove(&mut self, element: &T) {
        let at = self.chunk_of(element);
        let Some(chunk) = self.chunks.get_mut(at) else { return };
        let Ok(position) = chunk.binary_search(element) else { return };
        chunk.remove(position);
        if chunk.len() <= MAX_CHUNK / 4 && self.merge(at) {
            return self.rebuild_index();
        }
        self.len -= 1;
        self.lengths.subtract(at);
    }

    /// Returns the index of the first chunk whose last element is not less than `element`, or the number of chunks if
    /// no chunk qualifies.
    fn chunk_of(&self, element: &T) -> usize {
        // Checks the last chunk first, because new leads sort last. A binary search would read the last elements of
        // many chunks, most of which are not in the CPU cache.
        if self.chunks.last().is_some_and(|last_chunk| last_chunk.last().is_some_and(|last| last < element)) {
            return self.chunks.len();
        }
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|last| last < element))
    }
}

impl<T> RankedList<T> {
    /// Merges a short chunk with a neighbor if the result is at most half full, so that the number of chunks is
    /// bounded. Removes the chunk if it is empty. Returns whether the number of chunks changed.
    fn merge(&mut self, at: usize) -> bool {
        for first in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            let pair = self.chunks.get(first).zip(self.chunks.get(first + 1));
            if pair.is_none_or(|(a, b)| a.len() + b.len() > MAX_CHUNK / 2) {
                continue;
            }
            let mut second = self.chunks.remove(first + 1);
            if let Some(chunk) = self.chunks.get_mut(first) {
                chunk.append(&mut second);
            }
            return true;
        }
        let is_empty = self.chunks.get(at).is_some_and(Vec::is_empty);
        if is_empty {
            self.chunks.remove(at);
        }
        is_empty
    }

    fn rebuild_index(&mut self) {
        self.len = self.chunks.iter().map(Vec::len).sum();
        self.lengths = Fenwick::of(self.chunks.iter().map(Vec::len));
    }
}

/// A Fenwick tree over the chunk lengths. It finds the chunk for a rank and updates a length in logarithmic time.
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

    /// Returns the index of the chunk that contains the element with this rank, and the element's index in the chunk.
    fn find(&self, rank: usize) -> (usize, usize) {
        let (mut before, mut remaining) = (0, rank);
        let mut step = self.0.len().checked_ilog2().map_or(0, |log| 1 << log);
        while step > 0 {
            if let Some(sum) = self.0.get(before + step - 1).filter(|sum| **sum <= remaining) {
                before += step;
                remaining -= sum;
            }
            step /= 2;
        }
        (before, remaining)
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
        /// Appends this number of elements, all greater than the existing elements.
        Append(u32),
        RemoveAll(u32, u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let element = 0_u32..6_000;
        let step = prop_oneof![
            4 => element.clone().prop_map(Step::Insert),
            2 => element.clone().prop_map(Step::Remove),
            1 => (1_u32..2_000).prop_map(Step::Append),
            1 => (element, 1_u32..1_500).prop_map(|(from, count)| Step::RemoveAll(from, count)),
        ];
        prop::collection::vec(step, 1..60)
    }

    proptest! {
        #[test]
        fn a_ranked_list_behaves_like_an_ordered_set(steps in steps(), skips in prop::collection::vec(0_usize..8_000, 5)) {
            let (mut list, mut set) = (RankedList::default(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(element) => {
                        list.insert(element);
                        set.insert(element);
                    }
                    Step::Remove(element) => {
                        list.remove(&element);
                        set.remove(&element);
                    }
                    Step::Append(count) => {
                        let from = set.last().map_or(0, |last| last + 1);
                        (from..from + count).for_each(|element| list.insert(element));
                        set.extend(from..from + count);
                    }
                    Step::RemoveAll(from, count) => {
                        for element in from..from + count {
                            list.remove(&element);
                            set.remove(&element);
                        }
                    }
                }
                prop_assert_eq!((list.len(), list.is_empty()), (set.len(), set.is_empty()));
                prop_assert!(list.chunks.iter().all(|chunk| (1..=MAX_CHUNK).contains(&chunk.len())));
            }
            for skip in [0, set.len().saturating_sub(1), set.len()].into_iter().chain(skips) {
                prop_assert!(list.descending(skip).take(700).eq(set.iter().rev().skip(skip).take(700)), "skip {}", skip);
            }
            // Two neighboring chunks are never both short, so the number of chunks is bounded.
            prop_assert!(list.chunks.len() <= 1 + 4 * set.len().div_ceil(MAX_CHUNK / 2));
        }
    }

    #[test]
    fn appended_elements_fill_their_chunks() {
        let mut list = RankedList::default();
        (0..10 * MAX_CHUNK).for_each(|element| list.insert(element));
        assert_eq!(list.chunks.len(), 10);
        assert!(list.chunks.iter().all(|chunk| chunk.capacity() == MAX_CHUNK));
    }
}
