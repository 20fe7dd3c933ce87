//! Checks the operands of conditions, and whether each question can be answered before a rule reads its answer.

use std::collections::HashMap;

use super::{
    Code, Report,
    names::{question_name, quoted},
    order::PageOrder,
};
use crate::form::{
    entries,
    logic::{Condition, Operand},
    plan::{Comparison, Cond, Meaning, QuestionKind, QuestionPlan, Questionnaire, Test, non_blank},
};

pub(super) fn check(form: &Questionnaire<'_>, order: &mut PageOrder<'_>, report: &mut Report) {
    let mut pages = HashMap::new();
    for (index, page) in form.pages.iter().enumerate() {
        pages.extend(page.rules.iter().map(|rule| (rule.at, index)));
    }
    for (at, rule) in form.source.rules() {
        for (group_at, group) in entries(&rule.groups) {
            for (cond_at, condition) in entries(&group.conds) {
                let pointer = format!("{}/groups/{group_at}/conds/{cond_at}", form.rule_pointer(at));
                let asked = check_condition(form, condition, &pointer, report);
                if let (Some(question), Some(page)) = (asked, pages.get(&at)) {
                    check_order(form, order, condition, question, *page, &pointer, report);
                }
            }
        }
    }
}

/// Checks a single condition. Returns the question that it reads, or `None` if the condition can never hold or cannot
/// be evaluated.
fn check_condition<'f, 'r>(
    form: &'f Questionnaire<'r>,
    condition: &Condition,
    at: &str,
    report: &mut Report,
) -> Option<&'f QuestionPlan<'r>> {
    let op = condition.op.get().map_or("", |op| op.as_str());
    let meaning = Meaning::of(condition);
    if meaning.is_none() && form.policy.operators.get(op).is_none() {
        report.add(Code::UnknownOperator, format!("{at}/op"), format!("the operator {} is unknown", quoted(op)));
        return None;
    }
    let id = non_blank(&condition.field_id).unwrap_or_default();
    let question = form.question(id).and_then(|index| form.questions.get(index));
    if question.is_none() && form.scores.find(id).is_none() {
        report.add(
            Code::ConditionQuestionMissing,
            format!("{at}/fieldId"),
            format!("there is no question {}", quoted(id)),
        );
        return None;
    }
    // Only the host knows which values its own operators take.
    let Some(Meaning { comparison, .. }) = meaning else { return question };
    if !comparison.takes_value() && !condition.value.is_absent() && !Meaning::is_exists(condition) {
        report.add(Code::ValueIgnored, format!("{at}/value"), format!("{op} takes no value"));
    }
    let name = || question.map_or_else(|| "a score".to_owned(), question_name);
    let applies = question.map_or(comparison.applies_to_score(), |question| comparison.applies_to(&question.kind));
    if !applies {
        let code = if comparison.is_ordered() { Code::GtOnNonNumber } else { Code::OperatorMismatch };
        report.add(code, format!("{at}/op"), format!("{} cannot be compared with {op}", name()));
        return None;
    }
    let fits = |value: &Operand| {
        let test = question.map_or_else(
            || Test::of_score(comparison, Some(value)),
            |question| Test::new(comparison, &question.kind, Some(value)),
        );
        test.is_some()
    };
    let value = condition.value.get();
    // Each element of an array is reported on its own, but the bounds of a range only make sense together.
    let elements = match value {
        Some(Operand::List(values)) if comparison != Comparison::Between => values.as_slice(),
        _ => &[],
    };
    let wrong = elements.iter().enumerate().filter(|(_, value)| !fits(value));
    for (index, value) in wrong {
        report_value(question, value, &format!("{at}/value/{index}"), &name(), report);
    }
    if matches!(Cond::new(form, condition), Cond::Ask { .. } | Cond::Score { .. }) {
        return question;
    }
    match value {
        Some(Operand::List(values)) if values.iter().any(|value| !fits(value)) && !elements.is_empty() => {}
        Some(value) => report_value(question, value, &format!("{at}/value"), &name(), report),
        None => mismatch(format!("{at}/value"), &name(), report),
    }
    None
}

fn report_value(question: Option<&QuestionPlan<'_>>, value: &Operand, at: &str, name: &str, report: &mut Report) {
    match (question.map(|question| &question.kind), value) {
        (Some(QuestionKind::Choice(_)), Operand::Text(option)) => {
            report.add(Code::ConditionOptionMissing, at, format!("{name} has no option {}", quoted(option)));
        }
        _ => mismatch(at, name, report),
    }
}

fn mismatch(at: impl std::fmt::Display, name: &str, report: &mut Report) {
    report.add(Code::ValueMismatch, at, format!("no answer to {name} can match this value"));
}

/// Checks that a walk can reach the question before it tries the rule.
fn check_order(
    form: &Questionnaire<'_>,
    order: &mut PageOrder<'_>,
    condition: &Condition,
    question: &QuestionPlan<'_>,
    page: usize,
    at: &str,
    report: &mut Report,
) {
    if question.page == page {
        let is_filled = Meaning { comparison: Comparison::Filled, negated: false };
        if Meaning::of(condition) == Some(is_filled) && question.required {
            let message = format!("{} is required, so it is always answered here", question_name(question));
            report.add(Code::ConditionAlwaysTrue, at, message);
        }
    } else if order.can_follow(page, question.page) == Some(false) {
        let message = format!("{} is never asked before {}", question_name(question), form.page_name(page));
        report.add(Code::ConditionOnLaterPage, format!("{at}/fieldId"), message);
    } else if order.can_bypass(page, question.page) {
        let message = format!("some paths to {} skip {}", form.page_name(page), question_name(question));
        report.add(Code::ConditionMaybeUnasked, format!("{at}/fieldId"), message);
    }
}
