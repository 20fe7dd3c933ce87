//! Equivalence classes of answers. Two answers to a question are equivalent if no rule distinguishes them.

use std::collections::BTreeSet;

use super::{
    super::{
        answer::Answer,
        foreign_member::Effect,
        plan::{QuestionKind, QuestionPlan, Questionnaire, Slot},
        walk::{is_contact, is_name},
    },
    candidates::Candidates,
    signature::{Outcomes, Signature, Tests},
};

/// The flag of an answer that gives the lead a name.
pub(super) const NAMED: u8 = 1;
/// The flag of an answer that gives the lead an email address or a phone number.
pub(super) const CONTACT: u8 = 2;

/// One representative answer per class, for each question.
pub(super) struct Classes {
    by_question: Vec<QuestionClasses>,
}

struct QuestionClasses {
    answers: Vec<Option<Answer>>,
    /// The flags of the answers for which no candidate is known, or `None` if there are no such answers.
    opaque: Option<u8>,
    /// The effects of members that the engine does not understand. Because of them, visitors may give other answers, or
    /// none.
    foreign: Vec<Effect>,
}

/// A class of equivalent answers, with the value that conditions read, the points that the class adds to a score, and
/// the flags that it contributes to a lead.
pub(super) struct Class<'c> {
    pub answer: Option<&'c Answer>,
    pub slot: Slot<'c>,
    pub flags: u8,
    /// `None` if the points are unknown.
    pub points: Option<i64>,
    /// Whether it is unknown if a visitor can give an answer of the class.
    uncertain: bool,
}

impl Class<'_> {
    /// Returns whether the class may be empty.
    pub(super) fn is_uncertain(&self) -> bool {
        self.uncertain
    }
}

impl Classes {
    pub(super) fn new(form: &Questionnaire<'_>) -> Self {
        let questions = form.questions.iter().zip(Tests::of(form));
        let mut by_question: Vec<_> = questions.map(|(question, tests)| classes(form, question, &tests)).collect();
        for (index, (page, (_, record))) in form.pages.iter().zip(form.source.pages()).enumerate() {
            let effects = record.into_iter().flat_map(|page| Effect::of_page(page, form.has_required(index)));
            let effects: Vec<Effect> = effects.map(|(_, effect)| effect).collect();
            for question in by_question.get_mut(page.questions.clone()).into_iter().flatten() {
                question.foreign.extend(&effects);
            }
        }
        Self { by_question }
    }

    /// Returns the classes of each question. All their answers are valid.
    pub(super) fn of<'c>(&'c self, form: &'c Questionnaire<'c>) -> Vec<Vec<Class<'c>>> {
        let class = |question: &'c QuestionPlan<'c>, answer: &'c Option<Answer>| {
            let answer = answer.as_ref();
            let slot = question.read(answer).ok()?;
            let points = Some(question.score(&slot));
            Some(Class { answer, slot, flags: flags(form, question, &slot), points, uncertain: false })
        };
        let opaque = |question: &QuestionPlan<'_>, flags| {
            let points = if question.kind.options().is_some() { None } else { Some(0) };
            Class { answer: None, slot: Slot::Opaque, flags, points, uncertain: true }
        };
        let questions = form.questions.iter().zip(&self.by_question);
        questions
            .map(|(question, classes)| {
                let known = classes.answers.iter().filter_map(|answer| class(question, answer));
                let mut all: Vec<Class<'_>> =
                    known.chain(classes.opaque.map(|flags| opaque(question, flags))).collect();
                if classes.foreign.iter().any(|effect| *effect != Effect::Other) {
                    let (answer, slot, points) = (None, Slot::Empty, Some(0));
                    all.push(Class { answer, slot, flags: 0, points, uncertain: true });
                }
                if classes.foreign.contains(&Effect::Other) {
                    all.push(opaque(question, 0));
                }
                all
            })
            .collect()
    }
}

/// Of all answers in a class, the one that contributes least to a lead, preceded by its flags.
type Least = (u8, Option<Answer>);

/// Returns one valid answer for each combination of test outcomes that a valid candidate has. Of several equivalent
/// answers, returns the one that contributes least to a lead, so a proof for that answer holds for the whole class.
fn classes(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, tests: &Tests<'_>) -> QuestionClasses {
    let candidates = Candidates::new(question, tests);
    let valid = candidates.answers.into_iter().filter_map(|answer| {
        let slot = question.read(answer.as_ref()).ok()?;
        Some((tests.signature(&slot, question.score(&slot)), (flags(form, question, &slot), answer)))
    });
    let classes = if tests.is_empty() && !tests.scored {
        // All answers are equivalent. This is true of most questions in most forms, so their classes must be small.
        valid.min_by_key(|(_, (flags, _))| *flags).into_iter().collect()
    } else {
        least_of_each(valid.collect())
    };
    let opaque = if candidates.restricted || candidates.combinations.is_none() {
        opaque_flags(form, question, tests, candidates.combinations.as_ref(), &classes)
    } else {
        None
    };
    let of_options = question.record.options.items().flat_map(Effect::of_option);
    let foreign = Effect::of_question(question).chain(of_options).map(|(_, effect)| effect).collect();
    QuestionClasses { answers: merge(question, tests, classes), opaque, foreign }
}

/// Sorts the answers by class. For each class, keeps the first of the answers that contribute least to a lead.
fn least_of_each<K: Ord>(mut answers: Vec<(K, Least)>) -> Vec<(K, Least)> {
    answers.sort_by(|(one, (flags, _)), (other, (other_flags, _))| (one, flags).cmp(&(other, other_flags)));
    answers.dedup_by(|(one, _), (other, _)| one == other);
    answers
}

/// Merges classes that individual comparisons distinguish but whole conditions do not, such as the classes of two
/// options in the same array.
fn merge(question: &QuestionPlan<'_>, tests: &Tests<'_>, classes: Vec<(Signature, Least)>) -> Vec<Option<Answer>> {
    let answers = |classes: Vec<(Signature, Least)>| classes.into_iter().map(|(_, (_, answer))| answer).collect();
    if tests.is_empty() {
        return answers(classes);
    }
    let mut merged: Vec<((Outcomes, i64), Least)> = Vec::with_capacity(classes.len());
    for (_, (flags, answer)) in &classes {
        let slot = question.read(answer.as_ref()).unwrap_or_default();
        let Some(outcomes) = tests.outcomes(&slot, classes.len()) else { return answers(classes) };
        let points = if tests.scored { question.score(&slot) } else { 0 };
        merged.push(((outcomes, points), (*flags, answer.clone())));
    }
    least_of_each(merged).into_iter().map(|(_, (_, answer))| answer).collect()
}

/// Returns the flags of the answers for which no candidate is known, or `None` if there are no such answers.
fn opaque_flags(
    form: &Questionnaire<'_>,
    question: &QuestionPlan<'_>,
    tests: &Tests<'_>,
    combinations: Option<&BTreeSet<Outcomes>>,
    classes: &[(Signature, Least)],
) -> Option<u8> {
    let is_contact = match question.kind {
        QuestionKind::Email => question.key == Some("email"),
        QuestionKind::Phone => question.key == Some("phone"),
        _ => false,
    };
    let others = || classes.iter().filter(|(signature, _)| tests.is_other(signature));
    let found: BTreeSet<&Outcomes> = others().map(|(signature, _)| &signature.parts).collect();
    let is_complete = combinations.is_some_and(|all| all.iter().all(|one| found.contains(one)));
    // Restricted answers of the same class may contribute less to a lead than the candidates.
    let is_least = is_contact || others().all(|(_, (flags, _))| flags & CONTACT == 0);
    let named = if is_name(question, form.policy.stand_in_names) { NAMED } else { 0 };
    (!is_complete || !is_least).then_some(named | if is_contact { CONTACT } else { 0 })
}

fn flags(form: &Questionnaire<'_>, question: &QuestionPlan<'_>, slot: &Slot<'_>) -> u8 {
    let Some(text) = question.text(slot) else { return 0 };
    let named = if is_name(question, form.policy.stand_in_names) { NAMED } else { 0 };
    named | if is_contact(question, &text) { CONTACT } else { 0 }
}
