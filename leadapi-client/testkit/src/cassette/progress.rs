//! Tracks which entries of a cassette have been replayed.

/// The set of replayed entries. It tracks the first unused entry, so that a search does not start at the beginning of
/// the cassette.
#[derive(Debug)]
pub(super) struct Progress {
    used: Vec<bool>,
    /// The index of the first unused entry.
    first_unused: usize,
}

impl Progress {
    pub(super) fn new(entries: usize) -> Self {
        Self { used: vec![false; entries], first_unused: 0 }
    }

    pub(super) fn is_used(&self, nth: usize) -> bool {
        self.used.get(nth).copied().unwrap_or_default()
    }

    pub(super) fn use_up(&mut self, nth: usize) {
        if let Some(used) = self.used.get_mut(nth) {
            *used = true;
        }
        while self.is_used(self.first_unused) {
            self.first_unused += 1;
        }
    }

    /// Returns the indexes of unused entries, in order.
    pub(super) fn unused(&self) -> impl Iterator<Item = usize> {
        let rest = self.used.iter().enumerate().skip(self.first_unused);
        rest.filter(|(_, used)| !**used).map(|(nth, _)| nth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_entries_are_found_in_any_order() {
        let mut progress = Progress::new(4);
        for (used, left) in [(2, vec![0, 1, 3]), (0, vec![1, 3]), (1, vec![3]), (3, vec![])] {
            progress.use_up(used);
            assert_eq!(progress.unused().collect::<Vec<_>>(), left);
            assert!(progress.is_used(used));
        }
        assert!(!progress.is_used(4));
    }
}
