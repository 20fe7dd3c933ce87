//! Calculates the progress of a walk from the length of the longest path.

use serde_json::Value;

use super::Naive;

impl Naive<'_> {
    pub(super) fn successors(&self, page: usize) -> Vec<usize> {
        let mut pages = vec![];
        for (_, rule) in self.rules(page) {
            let fallback = rule["name"] == "__fallback__";
            let conditions = self.conditions(rule, &[], &Value::Null).is_some();
            if rule["then"]["kind"] != "jump" || !(conditions || fallback) {
                continue;
            }
            match self.target(rule) {
                None => continue,
                Some(Ok(next)) => pages.push(next),
                Some(Err(_)) => {}
            }
            if fallback && !conditions {
                return pages;
            }
        }
        pages.extend(self.after(page).ok());
        pages
    }

    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            for next in self.successors(seen[at]) {
                if next == to {
                    return true;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        false
    }

    pub(super) fn cycle(&self, page: usize) -> Vec<usize> {
        let together = |other: &usize| *other == page || (self.reaches(page, *other) && self.reaches(*other, page));
        (0..self.pages.len()).filter(together).collect()
    }

    /// Returns the length of the longest path from a page. A cycle counts as the number of its pages.
    pub(super) fn longest(&self, page: usize) -> usize {
        let cycle = self.cycle(page);
        let mut beyond = 0;
        for member in &cycle {
            for next in self.successors(*member) {
                if !cycle.contains(&next) {
                    beyond = beyond.max(self.longest(next));
                }
            }
        }
        cycle.len() + beyond
    }

    pub(super) fn progress(&self, path: &[usize]) -> f64 {
        let (page, before) = path.split_last().unwrap();
        let cycle = self.cycle(*page);
        let behind = before.iter().filter(|page| cycle.contains(page)).count();
        let ahead = self.longest(*page) - behind;
        before.len() as f64 / (before.len() + ahead) as f64
    }
}
