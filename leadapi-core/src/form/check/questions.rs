//! Pages, questions and options by themselves.

use super::{Code, Report};
use crate::form::{
    entries,
    field::Field,
    number::Number,
    plan::{Kind, QuestionPlan, Questionnaire, said},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let fields = form.source.form.is_some_and(|form| form.fields.items().next().is_some());
    if form.pages.is_empty() {
        report.add(Code::NoQuestions, form.source.pointer(), "the form has no page");
    } else if fields && form.pages.iter().any(|page| page.at.is_some()) {
        report.add(Code::FieldsAndPages, "/form/fields", "these questions are never asked, because there are pages");
    }
    for (index, page) in form.pages.iter().enumerate() {
        if page.questions.is_empty() {
            report.add(Code::PageWithoutQuestions, form.page_at(index), "nothing is asked on this page");
        }
    }
    for (index, question) in form.questions.iter().enumerate() {
        check_question(question, &form.question_at(index), report);
    }
}

fn check_question(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    let record = question.record;
    if said(&record.label).is_none() {
        report.add(Code::LabelEmpty, format!("{at}/label"), format!("question {:?} has no label", question.id));
    }
    match &question.kind {
        Kind::Unknown => {
            let kind = record.kind.get().map_or("", |kind| kind.as_str());
            report.add(Code::UnknownQuestionType, format!("{at}/type"), format!("{kind:?} is no type of question"));
        }
        Kind::Choice(options) => {
            let pointer = format!("{at}/options");
            match (options.len(), question.required) {
                (0, true) => {
                    let message = format!("nobody can answer question {:?}, which is required", question.id);
                    report.add(Code::RequiredChoiceWithoutOptions, pointer, message);
                }
                (0, false) => {
                    report.add(Code::ChoiceWithoutOptions, pointer, "there is nothing to choose from");
                }
                (1, _) => report.add(Code::SingleOption, pointer, "there is one option only"),
                _ => {}
            }
            check_options(question, at, report);
        }
        _ => {}
    }
    if !matches!(question.kind, Kind::Choice(_)) && record.options.items().next().is_some() {
        report.add(Code::OptionsOnOtherType, format!("{at}/options"), "only a single_choice has options");
    }
    if !matches!(question.kind, Kind::Number { .. }) && record.min.get().is_some() {
        report.add(Code::MinOnOtherType, format!("{at}/min"), "only a number has a lower bound");
    }
}

fn check_options(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    for (index, option) in entries(&question.record.options) {
        let pointer = format!("{at}/options/{index}");
        if said(&option.label).is_none() {
            report.add(Code::OptionLabelEmpty, format!("{pointer}/label"), "the option has no label");
        }
        if matches!(&option.score, Field::Value(score) if Number::as_i64(score).is_none()) {
            report.add(Code::ScoreNotInteger, format!("{pointer}/score"), "the score is no whole number");
        }
    }
}
