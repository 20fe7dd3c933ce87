//! Checks for missing and duplicate ids.

use std::collections::HashMap;

use super::{
    Code, Report,
    names::{Name, Named},
};
use crate::{
    QuestionType, entries,
    plan::{ENDING, Questionnaire},
};

/// Checks the ids of one kind of object, and remembers the first object with each id.
struct IdCheck<'r> {
    missing: Option<Code>,
    duplicate: Code,
    first: HashMap<&'r str, (Name<'r>, String)>,
}

impl<'r> IdCheck<'r> {
    fn of(missing: Option<Code>, duplicate: Code) -> Self {
        Self { missing, duplicate, first: HashMap::new() }
    }

    /// Checks the id of one object, which may be part of the object `within`.
    fn check(&mut self, name: Name<'r>, within: Option<&Name<'_>>, pointer: String, report: &mut Report) {
        match name.id() {
            None => {
                let Some(code) = self.missing else { return };
                match within {
                    Some(within) => report.add(code, pointer, format_args!("{name} of {within} has no id")),
                    None => report.add(code, pointer, format_args!("{name} has no id")),
                }
            }
            Some(id) => match self.first.get(id) {
                Some((first, at)) => {
                    let message = format_args!("{name} has the same id as {first} at {at}");
                    report.add(self.duplicate, format_args!("{pointer}/id"), message);
                }
                None => {
                    self.first.insert(id, (name, pointer));
                }
            },
        }
    }
}

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let mut pages = IdCheck::of(Some(Code::PageWithoutId), Code::DuplicatePageId);
    let mut questions = IdCheck::of(Some(Code::QuestionWithoutId), Code::DuplicateQuestionId);
    for (at, page) in form.source.pages() {
        let page_name = page.map(|page| page.name(at.unwrap_or_default(), &form.policy));
        let page_pointer = at.map_or_else(|| "/form".to_owned(), |at| form.pointer(format_args!("pages/{at}")));
        if let Some(page) = &page_name {
            pages.check(page.clone(), None, page_pointer.clone(), report);
            if page.id().is_some_and(|id| id.starts_with(ENDING)) {
                let message = format_args!("no rule can jump to {page}, because its id begins with `{ENDING}`");
                report.add(Code::PageIdLikeEnding, format_args!("{page_pointer}/id"), message);
            }
        }
        for (at, question) in entries(form.source.fields(page)) {
            let question_pointer = format!("{page_pointer}/fields/{at}");
            questions.check(question.name(at, &form.policy), page_name.as_ref(), question_pointer.clone(), report);
            let choices = [QuestionType::SingleChoice, QuestionType::Dropdown, QuestionType::MultiChoice];
            if question.question_type().is_some_and(|kind| choices.contains(&kind)) {
                let name = question.name(at, &form.policy);
                let mut options = IdCheck::of(Some(Code::OptionWithoutId), Code::DuplicateOptionId);
                for (at, option) in entries(&question.options) {
                    let pointer = format!("{question_pointer}/options/{at}");
                    options.check(option.name(at, &form.policy), Some(&name), pointer, report);
                }
            }
        }
    }
    let mut endings = IdCheck::of(Some(Code::EndingWithoutId), Code::DuplicateEndingId);
    form.source
        .endings()
        .for_each(|(at, ending)| endings.check(ending.name(at, &form.policy), None, form.ending_pointer(at), report));
    let mut rules = IdCheck::of(None, Code::DuplicateRuleId);
    form.source
        .rules()
        .for_each(|(at, rule)| rules.check(rule.name(at, &form.policy), None, form.rule_pointer(at), report));
}
