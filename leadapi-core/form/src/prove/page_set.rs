//! A set of pages, stored as ranges of consecutive pages.

/// A set of pages, stored as sorted ranges that neither touch nor overlap. Most walks visit pages in record order, so
/// even thousands of visited pages usually form a single range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct PageSet(Vec<(usize, usize)>);

impl PageSet {
    /// Returns the number of ranges.
    pub(super) fn ranges(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, page: usize) -> bool {
        self.0.get(self.range_at(page)).is_some_and(|(first, _)| *first <= page)
    }

    pub(super) fn insert(&mut self, page: usize) {
        if self.contains(page) {
            return;
        }
        let at = self.range_at(page);
        let joins_next = self.0.get(at).is_some_and(|(first, _)| *first == page + 1);
        let before = at.checked_sub(1).filter(|before| self.0.get(*before).is_some_and(|(_, last)| last + 1 == page));
        match (before, joins_next) {
            (Some(before), true) => {
                let (_, last) = self.0.remove(at);
                self.0.get_mut(before).into_iter().for_each(|range| range.1 = last);
            }
            (Some(before), false) => self.0.get_mut(before).into_iter().for_each(|range| range.1 = page),
            (None, true) => self.0.get_mut(at).into_iter().for_each(|range| range.0 = page),
            (None, false) => self.0.insert(at, (page, page)),
        }
    }

    /// Returns the index of the first range that ends at or after the page.
    fn range_at(&self, page: usize) -> usize {
        self.0.partition_point(|(_, last)| *last < page)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn insertion_order_does_not_matter() {
        // Enumerates all 720 orders of six pages with the factorial number system.
        for mut number in 0..720_usize {
            let (mut left, mut set, mut known) = (vec![1, 2, 3, 5, 6, 9], PageSet::default(), BTreeSet::new());
            for size in (1..=6).rev() {
                let page = left.remove(number % size);
                number /= size;
                set.insert(page);
                set.insert(page);
                known.insert(page);
                assert!((0..11).all(|page| set.contains(page) == known.contains(&page)), "{set:?} {known:?}");
            }
            assert_eq!(set, PageSet(vec![(1, 3), (5, 6), (9, 9)]));
        }
    }
}
