//! Checks the client account of leads, and how answers map to lead fields.

use super::{
    Code, Report,
    names::{Named, question_name, quoted},
};
use crate::{
    Number, entries,
    mapped_key::meant,
    plan::{QuestionKind, QuestionPlan, Questionnaire, SCORE},
    walk::STAND_INS,
};
use leadapi_model::{
    id::ClientId,
    validate::{LEAD_FIELDS, LeadField, OPTIONAL_TEXTS, OptionalText},
};

/// Returns the mapped keys whose answers fill a lead field or a part of it.
fn keys() -> impl Iterator<Item = &'static str> {
    let stand_ins = STAND_INS.into_iter().map(|(key, _)| key);
    let is_stand_in = |key: &str| STAND_INS.iter().any(|(stand_in, _)| *stand_in == key);
    let texts = OPTIONAL_TEXTS.into_iter().filter(|text| text.takes_answers).map(OptionalText::name);
    let others = texts.filter(move |key| !is_stand_in(key));
    ["name", "first_name", "last_name"].into_iter().chain(stand_ins).chain(others).chain(["value"])
}

/// Returns whether the key names a lead field that answers cannot set, or the attribute of the score.
fn is_reserved(key: &str) -> bool {
    LEAD_FIELDS.into_iter().any(|field| {
        let takes_answers = match field {
            LeadField::Name | LeadField::Value => true,
            LeadField::Text(text) => text.takes_answers,
            _ => false,
        };
        field.name() == key && !takes_answers
    }) || key == SCORE
}

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let client = form.source.form.and_then(|form| form.client_id.as_str());
    if client.is_none_or(|id| ClientId::parse(id).is_err()) {
        report.add(Code::ClientMissing, "/form/client_id", "the form has no valid `client_id`");
    }
    for (index, question) in form.questions.iter().enumerate() {
        let Some(key) = question.key else {
            check_contact(form, (index, question), report);
            continue;
        };
        let at = format!("{}/mappedKey", form.question_pointer(index));
        let name = question_name(question);
        check_option_values(form, (index, question), report);
        if let Some(meant) = meant(key) {
            let message =
                format_args!("{name} is mapped to {}, which is no lead field: did you mean `{meant}`?", quoted(key));
            report.add_with_fix(Code::MisspeltKey, at.clone(), message, || {
                Some(format!("Use the key `{meant}`, unless the key is meant for a custom field."))
            });
        }
        let mismatch = match (key, &question.kind) {
            ("email", QuestionKind::Email)
            | ("phone", QuestionKind::Phone)
            | ("value", QuestionKind::Number { whole: false, .. }) => None,
            ("value", kind) if has_values(kind) => None,
            ("email", _) => Some(Code::EmailKeyOnOtherType),
            ("phone", _) => Some(Code::PhoneKeyOnOtherType),
            ("value", _) => Some(Code::ValueKeyOnOtherType),
            _ => None,
        };
        if let Some(code) = mismatch {
            let kind = question.record.kind.get().map_or("", |kind| kind.as_str());
            report.add(
                code,
                at.clone(),
                format_args!("{name} is mapped to `{key}`, but has the type {}", quoted(kind)),
            );
        }
        if is_reserved(key) {
            report.add(
                Code::ReservedKey,
                at.clone(),
                format_args!("{name} is mapped to `{key}`, which answers cannot set"),
            );
        }
        if key.trim() != key {
            report.add(
                Code::KeyWithBlanks,
                at,
                format_args!("{name} is mapped to {}, which differs from {}", quoted(key), quoted(key.trim())),
            );
        }
    }
    check_mapped_twice(form, report);
}

fn has_values(kind: &QuestionKind<'_>) -> bool {
    kind.options().is_some_and(|options| options.iter().any(|option| option.value.is_some()))
}

/// Reports the options without a value of a choice that is mapped to `value`.
fn check_option_values(form: &Questionnaire<'_>, (index, question): (usize, &QuestionPlan<'_>), report: &mut Report) {
    if question.key != Some("value") || !has_values(&question.kind) {
        return;
    }
    let name = question_name(question);
    let options = entries(&question.record.options);
    for (at, option) in options.filter(|(_, option)| option.value.get().and_then(Number::as_f64).is_none()) {
        let pointer = format!("{}/options/{at}/value", form.question_pointer(index));
        let message = format_args!("{} of {name} has no value", option.name(at, &form.policy));
        report.add(Code::OptionWithoutValue, pointer, message);
    }
}

/// Reports a question for an email address or a phone number without a key, if no question has this key.
fn check_contact(form: &Questionnaire<'_>, (index, question): (usize, &QuestionPlan<'_>), report: &mut Report) {
    let (key, what) = match question.kind {
        QuestionKind::Email => ("email", "an email address"),
        QuestionKind::Phone => ("phone", "a phone number"),
        _ => return,
    };
    if !form.mapped.contains_key(key) {
        let name = question_name(question);
        let message = format_args!("{name} asks for {what}, but no question is mapped to `{key}`");
        let at = format!("{}/mappedKey", form.question_pointer(index));
        let fix = || Some(format!("Map the question to `{key}`."));
        report.add_with_fix(Code::ContactWithoutKey, at, message, fix);
    }
}

/// Reports questions on the same path that are mapped to the same lead field.
fn check_mapped_twice(form: &Questionnaire<'_>, report: &mut Report) {
    let mut pages: Vec<usize> = (0..form.pages.len()).collect();
    pages.sort_by_key(|page| form.graph.scc(*page));
    for key in keys() {
        let Some(mapped) = form.mapped.get(key).filter(|mapped| mapped.len() > 1) else { continue };
        let firsts = FirstMapped::new(form, &pages, mapped);
        for question in mapped {
            if let Some(other) = firsts.before(form, *question) {
                let [first, second] = [other, *question].map(|question| form.question_name_at(question));
                let message = format_args!("{second} is mapped to `{key}`, like {first} on the same path");
                report.add(Code::MappedTwice, format!("{}/mappedKey", form.question_pointer(*question)), message);
            }
        }
    }
}

/// The first questions that are mapped to one lead field: for each strongly connected component of pages, the first in
/// the component and the first on a path to it. "First" refers to the order of questions in the record.
struct FirstMapped {
    own: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
}

impl FirstMapped {
    /// Makes one pass over the pages, which must be in the topological order of their components.
    fn new(form: &Questionnaire<'_>, pages: &[usize], mapped: &[usize]) -> Self {
        let mut firsts = Self { own: vec![None; pages.len()], before: vec![None; pages.len()] };
        for question in mapped {
            if let Some(own) = firsts.own.get_mut(Self::scc(form, *question)) {
                own.get_or_insert(*question);
            }
        }
        for page in pages {
            let scc = form.graph.scc(*page);
            let known = [&firsts.own, &firsts.before].map(|firsts| firsts.get(scc).copied().flatten());
            let Some(first) = known.into_iter().flatten().min() else { continue };
            for next in form.graph.next(*page).map(|next| form.graph.scc(next)).filter(|next| *next != scc) {
                if let Some(before) = firsts.before.get_mut(next) {
                    *before = Some(before.map_or(first, |known| known.min(first)));
                }
            }
        }
        firsts
    }

    fn scc(form: &Questionnaire<'_>, question: usize) -> usize {
        form.questions.get(question).map_or(usize::MAX, |question| form.graph.scc(question.page))
    }

    /// Returns the first mapped question that a path can visit before `question`. Pages on a common cycle can be
    /// visited in any order, so record order decides between them.
    fn before(&self, form: &Questionnaire<'_>, question: usize) -> Option<usize> {
        let scc = Self::scc(form, question);
        let own = self.own.get(scc).copied().flatten().filter(|own| *own < question);
        self.before.get(scc).copied().flatten().into_iter().chain(own).min()
    }
}
