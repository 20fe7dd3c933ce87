//! Checks of individual pages, questions and options.

use super::{
    Code, Report,
    names::{Named, question_name, quoted},
};
use crate::{
    Bound, Field, Number, date, entries,
    locale::choose_filled,
    plan::{QuestionKind, QuestionPlan, Questionnaire, is_alternative_member, reads_member},
    policy::Policy,
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
        check_question(question, &form.policy, &form.question_pointer(index), report);
    }
}

fn check_question(question: &QuestionPlan<'_>, policy: &Policy, at: &str, report: &mut Report) {
    let record = question.record;
    let kind = record.kind.get().map_or("", |kind| kind.as_str());
    if question.label.trim().is_empty() && !matches!(question.kind, QuestionKind::Hidden) {
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
        QuestionKind::Choice(options) | QuestionKind::Choices(options) => {
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
            check_options(question, policy, at, report);
        }
        _ => {}
    }
    if question.kind.options().is_none() && record.options.items().next().is_some() {
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
    for name in record.extra.keys().filter(|name| is_alternative_member(name) && !reads_member(record, name)) {
        let message = format_args!("`{name}` of {} is unknown", question_name(question));
        report.add(Code::UnknownMember, format!("{at}/{name}"), message);
    }
    check_bounds(question, at, report);
}

/// Checks that `min` and `max` suit the type of the question, and that some value is within them.
fn check_bounds(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    let is_usable = |bound: &Field<Bound>| match &question.kind {
        QuestionKind::Number { .. } => Some(bound.as_number().is_some_and(|number| number.as_f64().is_some())),
        QuestionKind::Date(_) => Some(bound.as_text().is_some_and(|text| date::parse(text).is_some())),
        _ => None,
    };
    for (name, bound) in [("min", &question.record.min), ("max", &question.record.max)] {
        let pointer = format!("{at}/{name}");
        match (bound.get(), is_usable(bound)) {
            (None, _) | (_, Some(true)) => {}
            (_, Some(false)) => report.add(
                Code::BoundMismatch,
                pointer,
                format_args!("{} has a {name} that is not of its type", question_name(question)),
            ),
            (_, None) => report.add(
                Code::MinOnOtherType,
                pointer,
                format_args!("{} takes neither numbers nor dates", question_name(question)),
            ),
        }
    }
    check_limits(question, at, report);
    let empty = match &question.kind {
        QuestionKind::Number { bounds, .. } => bounds.is_empty(),
        QuestionKind::Date(bounds) => bounds.is_empty(),
        _ => false,
    };
    if empty {
        report.add(
            Code::EmptyRange,
            format!("{at}/max"),
            format_args!("the minimum of {} is above its maximum", question_name(question)),
        );
    }
}

/// Checks the limits on text answers.
fn check_limits(question: &QuestionPlan<'_>, at: &str, report: &mut Report) {
    let record = question.record;
    let limits = [
        ("minLength", record.min_length.get().is_some()),
        ("maxLength", record.max_length.get().is_some()),
        ("pattern", record.pattern.get().is_some()),
    ];
    for (name, _) in limits.into_iter().filter(|(_, given)| *given && !question.kind.is_text()) {
        report.add(
            Code::LimitOnOtherType,
            format!("{at}/{name}"),
            format_args!("{} does not take text", question_name(question)),
        );
    }
    if record.pattern.get().is_some()
        && question.kind.is_text()
        && !question.limits.as_ref().is_some_and(|limits| limits.has_pattern())
    {
        report.add(
            Code::PatternIgnored,
            format!("{at}/pattern"),
            format_args!("the pattern of {} cannot be used", question_name(question)),
        );
    }
    if question.limits.as_ref().is_some_and(|limits| limits.is_empty()) {
        report.add(
            Code::EmptyRange,
            format!("{at}/maxLength"),
            format_args!("the minimum length of {} is above its maximum length", question_name(question)),
        );
    }
}

fn check_options(question: &QuestionPlan<'_>, policy: &Policy, at: &str, report: &mut Report) {
    for (index, option) in entries(&question.record.options) {
        let pointer = format!("{at}/options/{index}");
        if choose_filled(&option.label, policy).is_none() {
            report.add(
                Code::OptionLabelEmpty,
                format!("{pointer}/label"),
                format_args!("{} of {} has no label", option.name(index, policy), question_name(question)),
            );
        }
        if matches!(&option.score, Field::Value(score) if Number::as_i64(score).is_none()) {
            report.add(
                Code::ScoreNotInteger,
                format!("{pointer}/score"),
                format_args!(
                    "{} of {} has a score that is not a whole number",
                    option.name(index, policy),
                    question_name(question)
                ),
            );
        }
    }
}
