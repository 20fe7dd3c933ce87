//! Checks for missing and duplicate ids.

use std::collections::HashMap;

use super::{Code, Report, names::quoted};
use crate::form::{
    entries,
    extensible_enum::QuestionType,
    field::Field,
    plan::{ENDING, Questionnaire, non_blank},
};

/// The finding codes for a missing and for a duplicate id of one kind of object.
struct Codes {
    what: &'static str,
    missing: Option<Code>,
    duplicate: Code,
}

/// Checks the ids of one kind of object, and remembers the first location of each id.
struct IdCheck<'r> {
    codes: Codes,
    first: HashMap<&'r str, String>,
}

impl<'r> IdCheck<'r> {
    fn of(what: &'static str, missing: Option<Code>, duplicate: Code) -> Self {
        Self { codes: Codes { what, missing, duplicate }, first: HashMap::new() }
    }

    fn check(&mut self, id: &'r Field<String>, pointer: String, report: &mut Report) {
        let what = self.codes.what;
        match non_blank(id) {
            None => {
                if let Some(code) = self.codes.missing {
                    report.add(code, pointer, format!("the {what} has no id"));
                }
            }
            Some(id) => match self.first.get(id) {
                Some(first) => {
                    let message = format!("the {what} at {first} already has the id {}", quoted(id));
                    report.add(self.codes.duplicate, format!("{pointer}/id"), message);
                }
                None => {
                    self.first.insert(id, pointer);
                }
            },
        }
    }
}

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let mut pages = IdCheck::of("page", Some(Code::PageWithoutId), Code::DuplicatePageId);
    let mut questions = IdCheck::of("question", Some(Code::QuestionWithoutId), Code::DuplicateQuestionId);
    for (at, page) in form.source.pages() {
        let page_pointer = at.map_or_else(|| "/form".to_owned(), |at| form.pointer(format_args!("pages/{at}")));
        if let Some(page) = page {
            pages.check(&page.id, page_pointer.clone(), report);
            if let Some(id) = non_blank(&page.id).filter(|id| id.starts_with(ENDING)) {
                let message = format!("a jump to {} refers to an ending, not to this page", quoted(id));
                report.add(Code::PageIdLikeEnding, format!("{page_pointer}/id"), message);
            }
        }
        for (at, question) in entries(form.source.fields(page)) {
            let question_pointer = format!("{page_pointer}/fields/{at}");
            questions.check(&question.id, question_pointer.clone(), report);
            if question.kind.get() == Some(&QuestionType::SingleChoice) {
                let mut options = IdCheck::of("option", Some(Code::OptionWithoutId), Code::DuplicateOptionId);
                for (at, option) in entries(&question.options) {
                    options.check(&option.id, format!("{question_pointer}/options/{at}"), report);
                }
            }
        }
    }
    let mut endings = IdCheck::of("ending", Some(Code::EndingWithoutId), Code::DuplicateEndingId);
    form.source.endings().for_each(|(at, ending)| endings.check(&ending.id, form.ending_pointer(at), report));
    let mut rules = IdCheck::of("rule", None, Code::DuplicateRuleId);
    form.source.rules().for_each(|(at, rule)| rules.check(&rule.id, form.rule_pointer(at), report));
}
