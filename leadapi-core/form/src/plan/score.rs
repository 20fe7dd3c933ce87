//! The scores that conditions read.

use std::collections::HashMap;

use super::{PagePlan, Questionnaire};
use crate::{Rule, entries};

/// The name of the score of the path so far, in conditions, placeholders and attributes. Followed by a colon and the id
/// of a page, it is the name of that page's score.
pub(crate) const SCORE: &str = "$score";

/// The scores that the conditions of a form read. Most forms have none.
#[derive(Debug, Default)]
pub(crate) struct Scores<'r> {
    by_name: HashMap<&'r str, usize>,
    /// The page of each score, or `None` for the total.
    pub pages: Vec<Option<usize>>,
}

impl<'r> Scores<'r> {
    /// Collects the scores that the rules name, and assigns them to the pages that contribute to them.
    pub(super) fn new(
        rules: impl Iterator<Item = &'r Rule>,
        is_question: impl Fn(&str) -> bool,
        pages: &mut [PagePlan<'r>],
    ) -> Self {
        let mut scores = Self::default();
        let groups = rules.flat_map(|rule| entries(&rule.groups));
        let ids = groups.flat_map(|(_, group)| entries(&group.conds)).filter_map(|(_, cond)| cond.field_id.as_str());
        let mut page_ids: Option<HashMap<&str, usize>> = None;
        for id in ids.filter(|id| id.starts_with(SCORE)) {
            if scores.by_name.contains_key(id) || is_question(id) {
                continue;
            }
            let page_ids = page_ids.get_or_insert_with(|| {
                pages.iter().enumerate().filter_map(|(index, page)| Some((page.id?, index))).collect()
            });
            let page = match page_of_score(id) {
                Some(page) if page_ids.contains_key(page) => page_ids.get(page).copied(),
                None if id == SCORE => None,
                _ => continue,
            };
            let score = scores.pages.len();
            scores.by_name.insert(id, score);
            scores.pages.push(page);
            match page {
                Some(page) => pages.get_mut(page).into_iter().for_each(|page| page.scores.push(score)),
                None => pages.iter_mut().for_each(|page| page.scores.push(score)),
            }
        }
        scores
    }

    /// Returns the score with this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the scores at the start of a walk.
    pub(crate) fn initial(&self) -> Vec<Option<i64>> {
        vec![Some(0); self.pages.len()]
    }
}

impl Questionnaire<'_> {
    /// Returns whether the key stands for the score. A question with this id or mapped key takes precedence.
    pub(crate) fn is_score(&self, key: &str) -> bool {
        key == SCORE && !self.is_question_key(key)
    }

    /// Returns whether an option has a score.
    pub(crate) fn has_scores(&self) -> bool {
        let options = self.questions.iter().filter_map(|question| question.kind.options());
        options.flat_map(|options| options.iter()).any(|option| option.score != 0)
    }
}

/// Returns the id of the page whose score has this name, even if there is no such page.
pub(crate) fn page_of_score(name: &str) -> Option<&str> {
    name.strip_prefix(SCORE)?.strip_prefix(':')
}

/// Adds the points of a page to a score. An unknown summand makes the sum unknown.
pub(crate) fn add(score: Option<i64>, points: Option<i64>) -> Option<i64> {
    Some(score?.saturating_add(points?))
}
