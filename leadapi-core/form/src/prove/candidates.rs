//! Candidate answers: if possible, at least one from every class of equivalent answers.

use std::collections::BTreeSet;

use super::{
    super::{
        Number,
        answer::Answer,
        date,
        plan::{OptionPlan, Options, QuestionKind, QuestionPlan},
    },
    signature::{Outcomes, Tests},
    texts::witnesses,
};
use leadapi_model::{locale::Locale, validate::PHONE};

/// The maximum number of options whose subsets are all tried.
const MAX_OPTIONS: usize = 9;

/// The maximum length of the strings that are generated to match a `minLength` or `maxLength`.
const MAX_LENGTH: usize = 1_000;

/// Candidate answers. Some of them may be invalid, and several may belong to the same class.
pub(super) struct Candidates {
    pub answers: Vec<Option<Answer>>,
    /// Every combination of results that an answer can give in the text tests of the question, or `None` if the
    /// combinations are unknown or too many.
    pub combinations: Option<BTreeSet<Outcomes>>,
    /// Whether answers must have a certain syntax, length or pattern, in which case some combinations may have no valid
    /// candidate.
    pub restricted: bool,
}

impl Candidates {
    pub(super) fn new(question: &QuestionPlan<'_>, tests: &Tests<'_>) -> Self {
        let restricted = question.limits.is_some();
        let mut candidates = Self { answers: vec![None], combinations: Some(BTreeSet::new()), restricted };
        // For text with limits, the samples may be the only valid candidates.
        let samples = question.limits.iter().flat_map(|limits| limits.samples());
        candidates.answers.extend(samples.map(|text| Some(distinct_text(&text, tests.texts()).into())));
        match &question.kind {
            QuestionKind::Choice(options) => {
                candidates.answers.extend(options.iter().map(|option| Some(option.id.into())));
            }
            QuestionKind::Choices(options) => candidates.add_subsets(options, tests),
            QuestionKind::Number { bounds, .. } => candidates.add_numbers(question, tests, [bounds.min, bounds.max]),
            QuestionKind::Date(bounds) => candidates.add_dates(tests, bounds.min, bounds.max),
            QuestionKind::Bool { .. } => candidates.answers.extend([false, true].map(|yes| Some(yes.into()))),
            QuestionKind::File => candidates.answers.push(Some("https://files.example.org/1".into())),
            QuestionKind::Text | QuestionKind::Address => candidates.add_texts(question, tests),
            QuestionKind::Email | QuestionKind::Phone | QuestionKind::Url => {
                candidates.restricted = true;
                candidates.add_texts(question, tests);
            }
            QuestionKind::Host(_) => {
                candidates.add_texts(question, tests);
                candidates.add_json(tests);
                // Only the host knows which answers are valid.
                candidates.combinations = None;
            }
            QuestionKind::Unknown | QuestionKind::Hidden => {
                candidates.add_texts(question, tests);
                candidates.add_json(tests);
                if !tests.parts.is_empty() && !tests.cuts().is_empty() {
                    // Rules compare a number both as a number and as text. The candidates cover each kind of
                    // comparison, but not all combinations of the two.
                    candidates.combinations = None;
                }
            }
        }
        candidates
    }

    /// Adds the subsets of the options that matter, each with and without an option that does not matter.
    fn add_subsets(&mut self, options: &Options<'_>, tests: &Tests<'_>) {
        let matters = |option: &&OptionPlan<'_>| {
            tests.scored && option.score != 0 || tests.included().binary_search(&option.id).is_ok()
        };
        let all: Vec<&str> = options.iter().filter(matters).map(|option| option.id).collect();
        let other = options.iter().find(|option| !matters(option)).map(|option| option.id);
        // Whether the labels of the chosen options form an email address or a phone number depends on all chosen
        // options, including those that no condition reads.
        self.restricted = true;
        if all.len() > MAX_OPTIONS {
            self.combinations = None;
            let some = all.iter().map(|id| vec![*id]).chain([all.clone()]).chain(other.map(|id| vec![id]));
            self.answers.extend(some.map(|ids| Some(ids.into())));
            return;
        }
        for subset in 0..1_usize << all.len() {
            let chosen = || all.iter().enumerate().filter(move |(at, _)| subset >> at & 1 == 1).map(|(_, id)| *id);
            let without: Vec<&str> = chosen().collect();
            let with = other.map(|other| chosen().chain([other]).collect::<Vec<_>>());
            self.answers.extend([Some(without), with].into_iter().flatten().map(|ids| Some(ids.into())));
        }
    }

    fn add_dates(&mut self, tests: &Tests<'_>, min: Option<i32>, max: Option<i32>) {
        let bounds = min.into_iter().chain(max.map(|max| max.saturating_add(1))).map(f64::from);
        let days = simplest_of_each(tests.cuts().iter().copied().chain(bounds).collect());
        // A realistic date is easier to read than an arbitrary date of the same class.
        let dates = days.into_iter().filter_map(whole_day).map(|day| date::write(day, Locale::UNKNOWN));
        self.answers.extend(["2026-05-31".to_owned()].into_iter().chain(dates).map(|date| Some(date.into())));
    }

    fn add_numbers(&mut self, question: &QuestionPlan<'_>, tests: &Tests<'_>, bounds: [Option<f64>; 2]) {
        let bounds = bounds.into_iter().flatten().flat_map(|bound| [bound, bound.next_up()]);
        let numbers = numbers(tests.cuts().iter().copied().chain(bounds).collect());
        self.answers.extend(numbers.iter().map(|number| Some(number.clone().into())));
        if question.key == Some("phone") {
            // The same number with too many digits is not a phone number, so it contributes less to a lead.
            let long = numbers.iter().filter_map(|number| with_extra_zeros(number, PHONE.rule.max_chars));
            self.answers.extend(long.map(|number| Some(number.into())));
        }
    }

    fn add_texts(&mut self, question: &QuestionPlan<'_>, tests: &Tests<'_>) {
        let constants = tests.texts();
        let others = ["something", "someone@example.org", "202 555 0100", "https://www.example.org"]
            .map(|text| distinct_text(text, constants));
        self.answers.extend(constants.iter().map(|text| Some((*text).into())));
        self.answers.extend(others.map(|text| Some(text.into())));
        if tests.parts.is_empty() && question.limits.is_none() {
            // For every kind of question, one of the strings above is valid.
            self.combinations = Some(BTreeSet::from([Outcomes::new()]));
            return;
        }
        // Very long text is useless as an example.
        let lengths = question.limits.iter().flat_map(|limits| limits.lengths()).filter(|length| *length <= MAX_LENGTH);
        let lengths: Vec<usize> = lengths.collect();
        let witnesses = witnesses(&tests.parts, constants, self.restricted, &lengths);
        self.answers.extend(witnesses.texts.into_iter().map(|text| Some(text.into())));
        self.combinations = witnesses.combinations;
    }

    /// Adds booleans and numbers, for a question that accepts any JSON.
    fn add_json(&mut self, tests: &Tests<'_>) {
        let constants = tests.texts();
        self.answers.extend([true, false].map(|yes| Some(yes.into())));
        // Rules can also compare a number as text, so the candidates include each constant as it is written, and
        // numbers in a notation that equals no constant.
        let written = constants.iter().filter_map(|text| Number::parse(text).ok());
        self.answers.extend(written.map(|number| Some(number.into())));
        let other = numbers(tests.cuts().to_vec());
        self.answers.extend(other.iter().filter_map(|number| Some(Some(rewritten(number, constants)?.into()))));
    }
}

/// Returns the same number, written with `zeros` extra zeros.
fn with_extra_zeros(number: &Number, zeros: usize) -> Option<Number> {
    let zeros = "0".repeat(zeros);
    let text = match number.as_str().split_once('e') {
        None => format!("{number}e{zeros}"),
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}{zeros}e{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.{zeros}e{exponent}"),
    };
    Number::parse(&text).ok()
}

/// Returns the same number in a notation that is not in `others`, which must be sorted.
fn rewritten(number: &Number, others: &[&str]) -> Option<Number> {
    let mut variants = (1..others.len() + 2).filter_map(|zeros| with_extra_zeros(number, zeros));
    variants.find(|variant| others.binary_search(&variant.as_str()).is_err())
}

/// Returns a variation of the text that is not in `others`, which must be sorted.
fn distinct_text(text: &str, others: &[&str]) -> String {
    let mut text = text.to_owned();
    while others.binary_search(&text.as_str()).is_ok() {
        // A URL stays a URL only if it begins with its scheme.
        let at = if text.starts_with("https:") { text.len() } else { 0 };
        text.insert(at, '1');
    }
    text
}

fn numbers(cuts: Vec<f64>) -> Vec<Number> {
    simplest_of_each(cuts).into_iter().filter_map(|number| Number::try_from(number).ok()).collect()
}

/// Returns one number from each interval between neighboring cuts, and one from beyond each end. Each number is whole
/// if its interval contains a whole number.
fn simplest_of_each(mut cuts: Vec<f64>) -> Vec<f64> {
    cuts.retain(|cut| cut.is_finite());
    cuts.sort_by(f64::total_cmp);
    let lows = [f64::NEG_INFINITY].into_iter().chain(cuts.iter().copied());
    let highs = cuts.iter().copied().chain([f64::INFINITY]);
    lows.zip(highs).filter_map(|(low, high)| simplest(low, high)).collect()
}

/// Returns a number that is not less than `low` and less than `high`, preferably a whole number.
fn simplest(low: f64, high: f64) -> Option<f64> {
    let middle = low / 2.0 + high / 2.0;
    let numbers = [1.0, low.ceil() + 0.0, high.ceil() - 1.0, middle, low, high.next_down()];
    // In an unbounded interval, any number will do.
    let skipped = usize::from(low.is_finite() || high.is_finite());
    numbers.into_iter().skip(skipped).find(|number| number.is_finite() && low <= *number && *number < high)
}

/// Converts a whole number to a day.
fn whole_day(number: f64) -> Option<i32> {
    let is_day = number.fract() == 0.0 && number.abs() < f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and in the range of the type")]
    is_day.then_some(number as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_written_differently() {
        for text in ["5", "-0.5", "1e300", "1.5e-7"] {
            let number = Number::parse(text).unwrap();
            let mut others = vec![text.to_owned()];
            for _ in 0..3 {
                let mut known: Vec<&str> = others.iter().map(String::as_str).collect();
                known.sort_unstable();
                let other = rewritten(&number, &known).unwrap();
                assert_eq!(other.as_f64().map(f64::to_bits), number.as_f64().map(f64::to_bits));
                assert!(!others.contains(&other.to_string()));
                others.push(other.to_string());
            }
        }
    }

    #[test]
    fn each_interval_has_a_number() {
        for (low, high, number) in [
            (0.0, 1.0, 0.0),
            (0.5, 9.0, 1.0),
            (9.0_f64.next_up(), f64::INFINITY, 10.0),
            (9.0_f64.next_up(), 9.5, 9.25),
            (-0.25, 0.25, 0.0),
            (f64::NEG_INFINITY, 9.0, 8.0),
            (f64::NEG_INFINITY, 8.5, 8.0),
            (f64::NEG_INFINITY, f64::INFINITY, 1.0),
            (0.0, 5e-324, 0.0),
            (5e-324, 1e-323, 5e-324),
            (1.5, 1.5_f64.next_up(), 1.5),
            (f64::MAX, f64::INFINITY, f64::MAX),
            (f64::NEG_INFINITY, (-f64::MAX).next_up(), -f64::MAX),
        ] {
            assert_eq!(simplest(low, high).map(f64::to_bits), Some(number.to_bits()), "{low} {high}");
        }
        assert_eq!(simplest(1.0, 1.0), None);
        assert_eq!(simplest(f64::NEG_INFINITY, -f64::MAX), None);
    }
}
