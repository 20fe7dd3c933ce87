//! The answers that make a difference: to each question as few as there are ways for the rules to look at it.

use std::collections::BTreeMap;

use super::super::{
    answer::Answer,
    number::Number,
    plan::{Cond, Jump, Kind, QuestionPlan, Questionnaire, Slot, Test},
    walk::{is_contact, is_name},
};

/// A lead has a name.
pub(super) const NAMED: u8 = 1;
/// A lead has an email address or a phone number.
pub(super) const CONTACT: u8 = 2;

/// The answers to each question that stand for all others.
pub(super) struct Classes {
    by_question: Vec<Vec<Option<Answer>>>,
}

/// A class of answers as conditions see it, and what it does for a lead.
pub(super) struct Class<'c> {
    pub answer: Option<&'c Answer>,
    pub slot: Slot<'c>,
    pub flags: u8,
}

impl Classes {
    pub(super) fn new(form: &Questionnaire<'_>) -> Self {
        let mut tests: Vec<Vec<Test<'_>>> = vec![Vec::new(); form.questions.len()];
        for rule in form.pages.iter().flat_map(|page| &page.rules).filter(|rule| matches!(rule.jump, Jump::To(_))) {
            for cond in rule.groups.conds() {
                if let Cond::Ask { question, test } = cond
                    && let Some(tests) = tests.get_mut(*question)
                    && !tests.contains(test)
                {
                    tests.push(*test);
                }
            }
        }
        let by_question = form.questions.iter().zip(&tests).map(|(question, tests)| classes(form, question, tests));
        Self { by_question: by_question.collect() }
    }

    /// The classes of each question, ready to be asked.
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

/// One good answer for each way in which the tests can come out. Of several, the one that does least for a lead: what is
/// proved of it is proved of all.
fn classes(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, tests: &[Test<'_>]) -> Vec<Option<Answer>> {
    let mut classes: BTreeMap<Vec<bool>, (u8, Option<Answer>)> = BTreeMap::new();
    for answer in candidates(question, tests) {
        let Ok(slot) = question.read(answer.as_ref()) else { continue };
        let seen = tests.iter().map(|test| test.holds(&slot)).collect();
        let flags = flags(form, question, &slot);
        let least = classes.get(&seen).is_none_or(|(known, _)| flags < *known);
        if least {
            classes.insert(seen, (flags, answer));
        }
    }
    classes.into_values().map(|(_, answer)| answer).collect()
}

fn flags(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, slot: &Slot<'_>) -> u8 {
    let Some(text) = question.text(slot) else { return 0 };
    let named = if is_name(question, form.policy.stand_in_names) { NAMED } else { 0 };
    named | if is_contact(question, &text) { CONTACT } else { 0 }
}

/// Answers among which there is one of every class; some are not good, and several may be of one class.
fn candidates(question: &QuestionPlan<'_>, tests: &[Test<'_>]) -> Vec<Option<Answer>> {
    let texts = tests.iter().filter_map(|test| if let Test::Text(text) = test { Some(*text) } else { None });
    let texts: Vec<&str> = texts.collect();
    let mut answers = vec![None];
    let mut push = |answer: Answer| answers.push(Some(answer));
    match &question.kind {
        Kind::Choice(options) => options.iter().for_each(|option| push(option.id.into())),
        Kind::Number { min } => numbers(tests, *min).into_iter().for_each(|number| push(number.into())),
        Kind::Text | Kind::Email | Kind::Phone | Kind::Unknown => {
            texts.iter().for_each(|text| push((*text).into()));
            for filler in ["something", "someone@example.org", "202 555 0100"] {
                push(unlike(filler, &texts).into());
            }
        }
    }
    if matches!(question.kind, Kind::Unknown) {
        push(true.into());
        push(false.into());
        push(super::super::Raw::parse("[0]").map_or(Answer::Null, Answer::Other));
        // A number, too, is compared as it is written: as the condition writes it, and in some other way.
        texts.iter().filter_map(|text| Number::parse(text).ok()).for_each(|number| push(number.into()));
        for number in numbers(tests, None) {
            let spellings = ["e0", "e+0", "e00"].map(|exponent| format!("{number}{exponent}"));
            let other = spellings.iter().find(|spelling| !texts.contains(&spelling.as_str()));
            other.and_then(|spelling| Number::parse(spelling).ok()).into_iter().for_each(|number| push(number.into()));
        }
    }
    answers
}

/// The text, made another one until it is none of these.
fn unlike(text: &str, others: &[&str]) -> String {
    let mut text = text.to_owned();
    while others.contains(&text.as_str()) {
        text.insert(0, '1');
    }
    text
}

/// A number at each constant, and one in each gap between them.
fn numbers(tests: &[Test<'_>], min: Option<f64>) -> Vec<Number> {
    let constants = tests.iter().filter_map(|test| match test {
        Test::Equal(number) | Test::Greater(number) => Some(*number),
        Test::Filled | Test::Chosen(_) | Test::Text(_) => None,
    });
    let mut cuts: Vec<f64> = constants.chain(min).collect();
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

/// A double between two others, one that is easily read if there is one.
fn between(low: f64, high: f64) -> Option<f64> {
    let next_whole = low.floor() + 1.0;
    let whole_before = high.ceil() - 1.0;
    let middle = low / 2.0 + high / 2.0;
    [next_whole, whole_before, middle, low.next_up()].into_iter().find(|number| {
        number.is_finite() && low < *number && *number < high
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_doubles_is_another_or_none() {
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
