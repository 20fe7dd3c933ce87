//! The options of a choice.

use std::borrow::Cow;

use super::UniqueIds;
use crate::{Choice, Number, Question, locale::choose_filled, policy::Policy, problem::Problem};

/// The options of a choice, in record order.
#[derive(Debug)]
pub(crate) struct Options<'r> {
    all: Vec<OptionPlan<'r>>,
    /// The indices of the options, sorted by id. Empty for short lists, which are scanned linearly because that is
    /// faster.
    sorted: Vec<usize>,
}

/// A compiled option.
#[derive(Debug)]
pub(crate) struct OptionPlan<'r> {
    pub id: &'r str,
    /// The label, or the id if the option has no label.
    pub label: Cow<'r, str>,
    pub score: i64,
    /// The amount that the option contributes to the value of a lead.
    pub value: Option<f64>,
}

impl<'r> Options<'r> {
    /// The maximum number of options for which a linear scan is used instead of a binary search.
    const MAX_LINEAR_SCAN: usize = 16;

    /// Compiles the options of a question. An option without an id, or with the id of an earlier one, is left out.
    pub(super) fn new(question: &'r Question, policy: &Policy) -> Self {
        let mut ids = UniqueIds::default();
        let option = |choice: &'r Choice| Some(OptionPlan::new(ids.claim(&choice.id)?, choice, policy));
        let all: Vec<OptionPlan<'r>> = question.options.items().filter_map(option).collect();
        let mut sorted = Vec::new();
        if all.len() > Self::MAX_LINEAR_SCAN {
            sorted.extend(0..all.len());
            sorted.sort_unstable_by_key(|index| all.get(*index).map(|option| option.id));
        }
        Self { all, sorted }
    }

    /// Returns the index of the option with this id.
    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.all.iter().position(|option| option.id == id);
        }
        let found = self.sorted.binary_search_by_key(&Some(id), |index| self.all.get(*index).map(|option| option.id));
        self.sorted.get(found.ok()?).copied()
    }

    /// Checks that each id is the id of an option, and that no id occurs twice.
    pub(super) fn check_all(&self, ids: &[String]) -> Result<(), Problem> {
        let mut known: Vec<usize> = Vec::new();
        if ids.len() > Self::MAX_LINEAR_SCAN {
            for id in ids {
                known.push(self.find(id).ok_or(Problem::NoSuchOption)?);
            }
            known.sort_unstable();
            return if known.is_sorted_by(|one, next| one < next) { Ok(()) } else { Err(Problem::OptionTwice) };
        }
        // A short answer is compared pair by pair, without allocating memory.
        if ids.iter().any(|id| self.find(id).is_none()) {
            return Err(Problem::NoSuchOption);
        }
        let twice = ids.iter().enumerate().any(|(at, id)| ids.iter().take(at).any(|earlier| earlier == id));
        if twice { Err(Problem::OptionTwice) } else { Ok(()) }
    }

    /// Returns the options with these ids, in the order of the ids.
    pub(crate) fn with_ids<'i>(&'i self, ids: &'i [String]) -> impl Iterator<Item = &'i OptionPlan<'r>> {
        ids.iter().filter_map(|id| self.all.get(self.find(id)?))
    }
}

impl<'r> std::ops::Deref for Options<'r> {
    type Target = [OptionPlan<'r>];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl<'r> OptionPlan<'r> {
    fn new(id: &'r str, choice: &'r Choice, policy: &Policy) -> Self {
        let label = match choose_filled(&choice.label, policy) {
            None => id.into(),
            Some(Cow::Borrowed(label)) => label.trim().into(),
            Some(Cow::Owned(label)) => label.trim().to_owned().into(),
        };
        let score = choice.score.get().and_then(Number::as_i64).unwrap_or(0);
        Self { id, label, score, value: choice.value.get().and_then(Number::as_f64) }
    }
}
