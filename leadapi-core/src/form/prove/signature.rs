//! Signatures of answers. Answers that no rule distinguishes have the same signature.

use std::collections::HashMap;

use super::super::{
    answer::Answer,
    plan::{Cond, Jump, Questionnaire, Slot, Test},
};

/// All tests of one question, sorted so that an answer can be classified with a binary search.
#[derive(Debug, Default)]
pub(super) struct Tests<'f> {
    filled: bool,
    chosen: Vec<usize>,
    equal: Vec<f64>,
    greater: Vec<f64>,
    texts: Vec<&'f str>,
}

/// The outcomes of all tests of a question for one answer. Two answers have equal signatures if and only if no test
/// distinguishes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Signature {
    filled: bool,
    /// The number of `gt` constants that are less than the answer.
    above: usize,
    /// The `equals` constant that matches the answer.
    equal: Option<usize>,
}

impl<'f> Tests<'f> {
    /// Collects the tests of each question that a rule reads.
    pub(super) fn of(form: &'f Questionnaire<'_>) -> HashMap<usize, Self> {
        let mut tests: HashMap<usize, Self> = HashMap::new();
        let rules = form.pages.iter().flat_map(|page| &page.rules);
        for cond in rules.filter(|rule| !matches!(rule.jump, Jump::Missing)).flat_map(|rule| rule.groups.conds()) {
            if let Cond::Ask { question, test } = cond {
                tests.entry(*question).or_default().add(*test);
            }
        }
        tests.values_mut().for_each(Self::sort);
        tests
    }

    fn add(&mut self, test: Test<'f>) {
        match test {
            Test::Filled => self.filled = true,
            Test::Chosen(option) => self.chosen.push(option),
            Test::Equal(number) => self.equal.push(number),
            Test::Greater(number) => self.greater.push(number),
            Test::Text(constant) => self.texts.push(constant),
        }
    }

    fn sort(&mut self) {
        self.chosen.sort_unstable();
        self.texts.sort_unstable();
        self.texts.dedup();
        for numbers in [&mut self.equal, &mut self.greater] {
            numbers.sort_by(f64::total_cmp);
            // Positive and negative zero are the same number.
            numbers.dedup_by(|one, other| *one <= *other && *other <= *one);
        }
    }

    /// Returns the strings that rules compare an answer with, sorted.
    pub(super) fn texts(&self) -> &[&'f str] {
        &self.texts
    }

    /// Returns the numbers that rules compare an answer with.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.equal.iter().chain(&self.greater).copied()
    }

    pub(super) fn signature(&self, slot: &Slot<'_>) -> Signature {
        let text = |text: &str| self.texts.binary_search(&text).ok();
        let above = |number: f64| self.greater.partition_point(|least| *least < number);
        let (equal, above) = match slot {
            Slot::Empty
            | Slot::Any(Answer::Other(_) | Answer::Texts(_))
            | Slot::Many(_)
            | Slot::Date(_)
            | Slot::Bool(_)
            | Slot::Structured(_) => (None, 0),
            Slot::Chosen(option) => (self.chosen.binary_search(option).ok(), 0),
            Slot::Text(given) => (text(given), 0),
            Slot::Any(answer @ Answer::Number(number)) => (text(&answer.text()), number.as_f64().map_or(0, above)),
            Slot::Any(answer) => (text(&answer.text()), 0),
            Slot::Number(number, _) => {
                let at = self.equal.partition_point(|known| known < number);
                (self.equal.get(at).filter(|known| *known <= number).map(|_| at), above(*number))
            }
        };
        Signature { filled: self.filled && !matches!(slot, Slot::Empty), above, equal }
    }
}
