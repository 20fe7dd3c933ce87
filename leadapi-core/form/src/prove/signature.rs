//! Signatures of answers. No rule distinguishes answers with the same signature.

use std::collections::HashMap;

use super::super::{
    answer::Answer,
    plan::{Cond, Jump, Questionnaire, Slot, Test, normal_email},
};

/// The maximum number of comparisons spent on merging the classes of one question.
const MAX_MERGE: usize = 1 << 20;

/// All tests of one question, sorted so that an answer can be classified with a binary search.
#[derive(Debug, Default)]
pub(super) struct Tests<'f> {
    filled: bool,
    chosen: Vec<usize>,
    /// The numbers at which the result of a test changes: the least number within its bounds, and the least number
    /// above them.
    cuts: Vec<f64>,
    texts: Vec<&'f str>,
    /// The ids of options that a multiple choice can include.
    included: Vec<&'f str>,
    /// The tests of parts of text answers.
    pub parts: Parts<'f>,
    /// All tests.
    all: Vec<&'f Test<'f>>,
    /// The number of comparisons in all tests.
    size: usize,
    /// Whether a condition reads a score to which the question contributes.
    pub scored: bool,
}

/// The strings that conditions look for at the start, at the end or anywhere in an answer. Each list is sorted.
#[derive(Debug, Default)]
pub(super) struct Parts<'f> {
    pub starts: Vec<&'f str>,
    pub ends: Vec<&'f str>,
    pub contains: Vec<&'f str>,
}

/// The outcomes of all comparisons of a question for one answer. No test distinguishes two answers with equal
/// signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Signature {
    filled: bool,
    /// One more than the number of cuts that are not greater than the answer, or 0 if the answer is not a number.
    above: usize,
    /// The index of the constant that equals the answer.
    equal: Option<usize>,
    pub parts: Outcomes,
    points: i64,
}

/// The outcomes of a list of tests.
pub(super) type Outcomes = Vec<bool>;

impl<'f> Tests<'f> {
    /// Collects the tests of each question.
    pub(super) fn of(form: &'f Questionnaire<'_>) -> Vec<Self> {
        let mut tests: HashMap<usize, Self> = HashMap::new();
        let rules = form.pages.iter().flat_map(|page| &page.rules);
        for cond in rules.filter(|rule| !matches!(rule.jump, Jump::Missing)).flat_map(|rule| rule.groups.conds()) {
            if let Cond::Ask { question, test, .. } = cond {
                let tests = tests.entry(*question).or_default();
                tests.add(test);
                tests.all.push(test);
                tests.size += test.size();
            }
        }
        tests.values_mut().for_each(Self::sort);
        let is_scored = |page: usize| form.pages.get(page).is_some_and(|page| !page.scores.is_empty());
        let questions = form.questions.iter().enumerate();
        questions
            .map(|(index, question)| Self {
                scored: is_scored(question.page),
                ..tests.remove(&index).unwrap_or_default()
            })
            .collect()
    }

    fn add(&mut self, test: &'f Test<'f>) {
        match test {
            Test::Filled => self.filled = true,
            Test::Chosen(option) => self.chosen.push(*option),
            Test::Includes(id) => self.included.push(id),
            // The two booleans are always distinguished.
            Test::Bool(_) => {}
            Test::Within(low, high) => self.cuts.extend([*low, high.next_up()]),
            Test::Text(constant) => self.texts.push(constant),
            Test::Contains(part) => self.parts.contains.push(part),
            Test::StartsWith(part) => self.parts.starts.push(part),
            Test::EndsWith(part) => self.parts.ends.push(part),
            Test::Any(tests) | Test::All(tests) => tests.iter().for_each(|test| self.add(test)),
        }
    }

    fn sort(&mut self) {
        self.chosen.sort_unstable();
        self.cuts.retain(|cut| cut.is_finite());
        self.cuts.sort_by(f64::total_cmp);
        // Positive and negative zero are the same number.
        self.cuts.dedup_by(|one, other| *one <= *other && *other <= *one);
        for texts in [
            &mut self.texts,
            &mut self.included,
            &mut self.parts.starts,
            &mut self.parts.ends,
            &mut self.parts.contains,
        ] {
            texts.sort_unstable();
            texts.dedup();
        }
    }

    /// Returns the strings that rules compare an answer with, sorted.
    pub(super) fn texts(&self) -> &[&'f str] {
        &self.texts
    }

    /// Returns the ids of options that a multiple choice can include, sorted.
    pub(super) fn included(&self) -> &[&'f str] {
        &self.included
    }

    /// Returns the numbers at which the result of a test changes, sorted.
    pub(super) fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    pub(super) fn signature(&self, slot: &Slot<'_>, points: i64) -> Signature {
        let text = |text: &str| self.texts.binary_search(&text).ok();
        // Distinguishes a number below all cuts from an answer that is not a number, because the latter passes no test
        // of numbers.
        let above = |number: f64| self.cuts.partition_point(|cut| *cut <= number) + usize::from(!self.cuts.is_empty());
        let (equal, above) = match slot {
            Slot::Empty
            | Slot::Opaque
            | Slot::Many(_)
            | Slot::Structured(_)
            | Slot::Any(Answer::Other(_) | Answer::Texts(_)) => (None, 0),
            Slot::Bool(yes) => (Some(usize::from(*yes)), 0),
            Slot::Date(day) => (None, above(f64::from(*day))),
            Slot::Chosen(option) => (self.chosen.binary_search(option).ok(), 0),
            Slot::Text(given) => (text(given), 0),
            Slot::Email(given) => (text(&normal_email(given)), 0),
            Slot::Any(answer @ Answer::Number(number)) => (text(&answer.text()), number.as_f64().map_or(0, above)),
            Slot::Any(answer) => (text(&answer.text()), 0),
            Slot::Number(number, _) => (None, above(*number)),
        };
        let parts = match slot {
            Slot::Text(text) => self.parts.outcomes(text),
            Slot::Email(text) => self.parts.outcomes(&normal_email(text)),
            Slot::Any(answer) => answer.scalar_text().map_or_else(Outcomes::new, |text| self.parts.outcomes(&text)),
            Slot::Many(ids) => self.included.iter().map(|option| ids.iter().any(|id| id == option)).collect(),
            _ => Outcomes::new(),
        };
        let filled = self.filled && !matches!(slot, Slot::Empty);
        Signature { filled, above, equal, parts, points: if self.scored { points } else { 0 } }
    }

    /// Returns whether no condition reads the question.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns whether the class with this signature contains answers that differ from all constants.
    pub(super) fn is_other(&self, signature: &Signature) -> bool {
        signature.equal.is_none() && (signature.filled || !self.filled)
    }

    /// Returns the outcome of each test, or `None` if merging this number of classes would take too many comparisons.
    pub(super) fn outcomes(&self, slot: &Slot<'_>, classes: usize) -> Option<Outcomes> {
        (self.size.saturating_mul(classes) <= MAX_MERGE).then(|| self.all.iter().map(|test| test.holds(slot)).collect())
    }
}

impl Parts<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() + self.ends.len() + self.contains.len()
    }

    /// Returns the outcomes for a string, or an empty list if all of them are false.
    pub(super) fn outcomes(&self, text: &str) -> Outcomes {
        let starts = self.starts.iter().map(|part| text.starts_with(part));
        let ends = self.ends.iter().map(|part| text.ends_with(part));
        let contains = self.contains.iter().map(|part| text.contains(part));
        let outcomes: Outcomes = starts.chain(ends).chain(contains).collect();
        if outcomes.contains(&true) { outcomes } else { Outcomes::new() }
    }
}
