//! Equivalence classes of answers. Two answers to a question are equivalent if no rule distinguishes them.

use std::collections::{BTreeMap, HashMap};

use super::{
    super::{
        answer::Answer,
        date,
        number::Number,
        plan::{QuestionKind, QuestionPlan, Questionnaire, Slot},
        walk::{is_contact, is_name},
    },
    signature::{Signature, Tests},
};
use crate::validate::lead_field::PHONE;

/// The flag of an answer that gives the lead a name.
pub(super) const NAMED: u8 = 1;
/// The flag of an answer that gives the lead an email address or a phone number.
pub(super) const CONTACT: u8 = 2;

/// One representative answer per class, for each question.
pub(super) struct Classes {
    by_question: Vec<Vec<Option<Answer>>>,
}

/// A class of equivalent answers, with the value that conditions read and the flags that the class contributes to a
/// lead.
pub(super) struct Class<'c> {
    pub answer: Option<&'c Answer>,
    pub slot: Slot<'c>,
    pub flags: u8,
}

impl Classes {
    pub(super) fn new(form: &Questionnaire<'_>) -> Self {
        let tests: HashMap<usize, Tests<'_>> = Tests::of(form);
        let none = Tests::default();
        let questions = form.questions.iter().enumerate();
        let by_question =
            questions.map(|(index, question)| classes(form, question, tests.get(&index).unwrap_or(&none)));
        Self { by_question: by_question.collect() }
    }

    /// Returns the classes of each question. All their answers are valid.
    pub(super) fn of<'c>(&'c self, form: &'c Questionnaire<'c>) -> Vec<Vec<Class<'c>>> {
        let class = |question: &'c QuestionPlan<'c>, answer: &'c Option<Answer>| {
            let answer = answer.as_ref();
            let slot = question.read(answer).ok()?;
            Some(Class { answer, slot, flags: flags(form, question, &slot) })
        };
        let questions = form.questions.iter().zip(&self.by_question);
        questions
            .map(|(question, answers)| answers.iter().filter_map(|answer| class(question, answer)).collect())
            .collect()
    }
}

/// Returns one valid answer for each possible combination of test outcomes. Of several equivalent answers, returns the
/// one that contributes least to a lead, so a proof for that answer holds for the whole class.
fn classes(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, tests: &Tests<'_>) -> Vec<Option<Answer>> {
    let mut classes: BTreeMap<Signature, (u8, Option<Answer>)> = BTreeMap::new();
    for answer in candidates(question, tests) {
        let Ok(slot) = question.read(answer.as_ref()) else { continue };
        let signature = tests.signature(&slot);
        let flags = flags(form, question, &slot);
        let least = classes.get(&signature).is_none_or(|(known, _)| flags < *known);
        if least {
            classes.insert(signature, (flags, answer));
        }
    }
    classes.into_values().map(|(_, answer)| answer).collect()
}

fn flags(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, slot: &Slot<'_>) -> u8 {
    let Some(text) = question.text(slot) else { return 0 };
    let named = if is_name(question, form.policy.stand_in_names) { NAMED } else { 0 };
    named | if is_contact(question, &text) { CONTACT } else { 0 }
}

/// Returns candidate answers, with at least one from every class. Some candidates may be invalid, and several may
/// belong to the same class.
fn candidates(question: &QuestionPlan<'_>, tests: &Tests<'_>) -> Vec<Option<Answer>> {
    let constants = tests.texts();
    let mut answers = vec![None];
    match &question.kind {
        QuestionKind::Choice(options) => answers.extend(options.iter().map(|option| Some(option.id.into()))),
        QuestionKind::Choices(options) => {
            let all: Vec<&str> = options.iter().map(|option| option.id).collect();
            answers.extend(options.iter().map(|option| Some(vec![option.id].into())));
            answers.push(Some(all.into()));
        }
        QuestionKind::Number { bounds, whole, .. } => {
            let cuts = tests.numbers().chain(bounds.min).chain(bounds.max);
            // The numbers between two cuts have a whole number among them, or none of them is an answer.
            let cuts: Vec<f64> = if *whole {
                cuts.flat_map(|cut| [cut.floor(), cut.ceil(), cut.floor() - 1.0, cut.ceil() + 1.0]).collect()
            } else {
                cuts.collect()
            };
            let numbers = numbers(cuts.into_iter());
            answers.extend(numbers.iter().map(|number| Some(number.clone().into())));
            if question.key == Some("phone") {
                // A number with more digits than a phone number may have is not a phone number.
                let long = numbers.iter().filter_map(|number| with_extra_zeros(number, PHONE.rule.max_chars));
                answers.extend(long.map(|number| Some(number.into())));
            }
        }
        QuestionKind::Date(bounds) => {
            let days = [bounds.min, bounds.max, date::parse("2026-05-31")].into_iter().flatten();
            answers.extend(days.map(|day| Some(date::format(day, date::ISO).into())));
        }
        QuestionKind::Bool { .. } => answers.extend([false, true].map(|yes| Some(yes.into()))),
        QuestionKind::File => answers.push(Some("https://files.example.org/1".into())),
        QuestionKind::Text
        | QuestionKind::Email
        | QuestionKind::Phone
        | QuestionKind::Url
        | QuestionKind::Hidden
        | QuestionKind::Address
        | QuestionKind::Host(_)
        | QuestionKind::Unknown => {
            let others = ["something", "someone@example.org", "202 555 0100", "https://www.example.org"]
                .map(|text| distinct_text(text, constants));
            answers.extend(constants.iter().map(|text| Some((*text).into())));
            answers.extend(others.map(|text| Some(text.into())));
        }
    }
    if matches!(question.kind, QuestionKind::Unknown | QuestionKind::Hidden) {
        answers.extend([true, false].map(|yes| Some(yes.into())));
        // Rules can also compare a number as text, so the candidates include each constant in its original spelling and
        // in another one.
        let written = constants.iter().filter_map(|text| Number::parse(text).ok());
        answers.extend(written.map(|number| Some(number.into())));
        let other = numbers(tests.numbers());
        answers.extend(other.iter().filter_map(|number| Some(Some(respelled(number, constants)?.into()))));
    }
    answers
}

/// Returns the same number, spelled with `zeros` extra zeros.
fn with_extra_zeros(number: &Number, zeros: usize) -> Option<Number> {
    let zeros = "0".repeat(zeros);
    let spelling = match number.as_str().split_once('e') {
        None => format!("{number}e{zeros}"),
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}{zeros}e{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.{zeros}e{exponent}"),
    };
    Number::parse(&spelling).ok()
}

/// Returns the same number in a spelling that is not in `others`, which must be sorted.
fn respelled(number: &Number, others: &[&str]) -> Option<Number> {
    let mut spellings = (1..others.len() + 2).filter_map(|zeros| with_extra_zeros(number, zeros));
    spellings.find(|spelling| others.binary_search(&spelling.as_str()).is_err())
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

/// Returns each constant, a number between each pair of neighbouring constants, and a number beyond each end.
fn numbers(constants: impl Iterator<Item = f64>) -> Vec<Number> {
    let mut cuts: Vec<f64> = constants.collect();
    cuts.sort_by(f64::total_cmp);
    let mut numbers = cuts.clone();
    match (cuts.first(), cuts.last()) {
        (Some(first), Some(last)) => {
            numbers.extend(between(f64::NEG_INFINITY, *first));
            numbers.extend(between(*last, f64::INFINITY));
        }
        _ => numbers.push(1.0),
    }
    numbers.extend(cuts.iter().zip(cuts.iter().skip(1)).filter_map(|(low, high)| between(*low, *high)));
    numbers.into_iter().filter_map(|number| Number::try_from(number).ok()).collect()
}

/// Returns a double strictly between the two bounds, preferably one that is easy to read.
fn between(low: f64, high: f64) -> Option<f64> {
    let next_whole = low.floor() + 1.0;
    let whole_before = high.ceil() - 1.0;
    let middle = low / 2.0 + high / 2.0;
    [next_whole, whole_before, middle, low.next_up()]
        .into_iter()
        .find(|number| number.is_finite() && low < *number && *number < high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_another_spelling() {
        for text in ["5", "-0.5", "1e300", "1.5e-7"] {
            let number = Number::parse(text).unwrap();
            let mut others = vec![text.to_owned()];
            for _ in 0..3 {
                let mut known: Vec<&str> = others.iter().map(String::as_str).collect();
                known.sort_unstable();
                let other = respelled(&number, &known).unwrap();
                assert_eq!(other.as_f64().map(f64::to_bits), number.as_f64().map(f64::to_bits));
                assert!(!others.contains(&other.to_string()));
                others.push(other.to_string());
            }
        }
    }

    #[test]
    fn between_returns_a_double_strictly_between_the_bounds() {
        for (low, high) in [
            (0.0, 1.0),
            (0.0, 9.0),
            (-0.25, 0.25),
            (f64::NEG_INFINITY, -1e300),
            (1e300, f64::INFINITY),
            (f64::MAX.next_down().next_down(), f64::MAX),
            (0.0, 1e-323),
            (-f64::MAX, f64::MAX),
        ] {
            let number = between(low, high).unwrap();
            assert!(low < number && number < high && number.is_finite(), "{low} {number} {high}");
        }
        for (low, high) in [(1.0, 1.0_f64.next_up()), (f64::MAX, f64::INFINITY), (0.0, 5e-324), (1.0, 1.0)] {
            assert_eq!(between(low, high), None, "{low} {high}");
        }
    }
}
