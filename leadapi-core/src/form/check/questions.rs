//! Checks of individual pages, questions and options.

use super::{
    Code, Report,
    names::{Named, question_name, quoted},
};
use crate::form::{
    entries,
    field::Field,
    number::Number,
    plan::{QuestionKind, QuestionPlan, Questionnaire, non_blank},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let fields = form.source.form.is_some_and(|form| form.fields.items().next().is_some());
    if form.pages.is_empty() {
        report.add(Code::NoQuestions, form.source.pointer(), "the form has no pages");
    } else if fields && form.pages.iter().any(|page| page.at.is_some()) {
        report.add(
            Code::FieldsAndPages,
            "/form/fields",
            "the questions in `fields` are never asked, because the form has pages",
        );
    }
    for (index, page) in form.pages.iter().enumerate() {
        if page.questions.is_empty() {
            report.add(
                Code::PageWithoutQuestions,
                form.page_pointer(index),
                format_args!("{} has no questions", form.page_name(index)),
            );
        }
    }
    for (index, question) in form.questions.iter().enumerate() {
        check_question(question, &form.question_pointer(index), report);
    }
}

fn check_question(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    let record = question.record;
    let kind = record.kind.get().map_or("", |kind| kind.as_str());
    if non_blank(&record.label).is_none() {
        report.add(Code::LabelEmpty, format!("{at}/label"), format_args!("{} has no label", question_name(question)));
    }
    match &question.kind {
        QuestionKind::Unknown => {
            let name = question_name(question);
            let message = if kind.is_empty() {
                format!("{name} has no type")
            } else {
                format!("{name} has the unknown type {}", quoted(kind))
            };
            report.add(Code::UnknownQuestionType, format!("{at}/type"), message);
        }
        QuestionKind::Choice(options) => {
            let pointer = format!("{at}/options");
            match (options.len(), question.required) {
                (0, true) => {
                    let message = format!("{} is required but has no options", question_name(question));
                    report.add(Code::RequiredChoiceWithoutOptions, pointer, message);
                }
                (0, false) => {
                    report.add(
                        Code::ChoiceWithoutOptions,
                        pointer,
                        format_args!("{} has no options", question_name(question)),
                    );
                }
                (1, _) => report.add(
                    Code::SingleOption,
                    pointer,
                    format_args!("{} has only one option", question_name(question)),
                ),
                _ => {}
            }
            check_options(question, at, report);
        }
        _ => {}
    }
    if !matches!(question.kind, QuestionKind::Choice(_)) && record.options.items().next().is_some() {
        report.add(
            Code::OptionsOnOtherType,
            format!("{at}/options"),
            format_args!(
                "{} has options, which questions of the type {} ignore",
                question_name(question),
                quoted(kind)
            ),
        );
    }
    if !matches!(question.kind, QuestionKind::Number { .. }) && record.min.get().is_some() {
        report.add(
            Code::MinOnOtherType,
            format!("{at}/min"),
            format_args!(
                "{} has a `min`, which questions of the type {} ignore",
                question_name(question),
                quoted(kind)
            ),
        );
    }
}

fn check_options(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    for (index, option) in entries(&question.record.options) {
        let pointer = format!("{at}/options/{index}");
        if non_blank(&option.label).is_none() {
            report.add(
                Code::OptionLabelEmpty,
                format!("{pointer}/label"),
                format_args!("{} of {} has no label", option.name(index), question_name(question)),
            );
        }
        if matches!(&option.score, Field::Value(score) if Number::as_i64(score).is_none()) {
            report.add(
                Code::ScoreNotInteger,
                format!("{pointer}/score"),
                format_args!(
                    "{} of {} has a score that is not a whole number",
                    option.name(index),
                    question_name(question)
                ),
            );
        }
    }
}
