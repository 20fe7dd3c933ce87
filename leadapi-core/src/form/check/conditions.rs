//! Checks the operands of conditions, and whether each question can be answered before a rule reads its answer.

use std::collections::HashMap;

use super::{
    Code, Report,
    names::{RuleName, question_name, quoted, similar_option},
    order::PageOrder,
};
use crate::form::{
    entries,
    extensible_enum::Operator,
    field::Field,
    logic::{Condition, Operand},
    plan::{Cond, QuestionKind, QuestionPlan, Questionnaire, non_blank},
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
                let rule = form.rule_name(rule, at);
                let asked = check_condition(form, rule, condition, &pointer, report);
                if let (Some(question), Some(page)) = (asked, pages.get(&at)) {
                    check_order(order, rule, condition, question, *page, &pointer, report);
                }
            }
        }
    }
}

/// Checks a single condition. Returns the question that it reads, or `None` if the condition can never hold or cannot
/// be evaluated.
fn check_condition<'f, 'r>(
    form: &'f Questionnaire<'r>,
    rule: RuleName<'_, '_>,
    condition: &Condition,
    at: &str,
    report: &mut Report,
) -> Option<&'f QuestionPlan<'r>> {
    let Some(op @ (Operator::Equals | Operator::IsFilled | Operator::Gt)) = condition.op.get() else {
        let op = condition.op.get().map_or("", |op| op.as_str());
        let message = match op {
            "" => format!("{rule} has a condition without an operator"),
            op => format!("{rule} uses the unknown operator {}", quoted(op)),
        };
        report.add(Code::UnknownOperator, format!("{at}/op"), message);
        return None;
    };
    let id = non_blank(&condition.field_id).unwrap_or_default();
    let Some(question) = form.question(id).and_then(|index| form.questions.get(index)) else {
        report.add_with_fix(
            Code::ConditionQuestionMissing,
            format_args!("{at}/fieldId"),
            format_args!("{rule} tests question {}, which does not exist", quoted(id)),
            || Some(format!("Test {}.", form.similar_question(id)?)),
        );
        return None;
    };
    if *op == Operator::IsFilled && !condition.value.is_absent() {
        report.add(
            Code::ValueIgnored,
            format!("{at}/value"),
            format_args!("{rule} has an `is_filled` condition with a value"),
        );
    }
    if *op == Operator::Gt && !matches!(question.kind, QuestionKind::Number { .. } | QuestionKind::Unknown) {
        report.add(
            Code::GtOnNonNumber,
            format!("{at}/op"),
            format_args!("{rule} applies `gt` to {}, which does not take numbers", question_name(question)),
        );
        return None;
    }
    let can_hold = matches!(Cond::new(form, condition), Cond::Ask { .. }) && !is_blank(&condition.value);
    if can_hold || *op == Operator::IsFilled {
        return Some(question);
    }
    let pointer = format!("{at}/value");
    match (&question.kind, condition.value.get()) {
        (QuestionKind::Choice(_), Some(Operand::Text(option))) => {
            let (name, quoted) = (question_name(question), quoted(option));
            let message = format_args!("{rule} tests {name} for option {quoted}, which does not exist");
            report.add_with_fix(Code::ConditionOptionMissing, pointer, message, || {
                Some(format!("Compare with the id of {}.", similar_option(question.record, option)?))
            });
        }
        _ => report.add(
            Code::ValueMismatch,
            pointer,
            format_args!("{rule} compares {} with a value that no answer can match", question_name(question)),
        ),
    }
    None
}

fn is_blank(value: &Field<Operand>) -> bool {
    matches!(value, Field::Value(Operand::Text(text)) if text.trim().is_empty())
}

/// Checks that a walk can reach the question before it tries the rule.
fn check_order(
    order: &mut PageOrder<'_>,
    rule: RuleName<'_, '_>,
    condition: &Condition,
    question: &QuestionPlan<'_>,
    page: usize,
    at: &str,
    report: &mut Report,
) {
    let name = question_name(question);
    if question.page == page {
        if condition.op.get() == Some(&Operator::IsFilled) && question.required {
            let message = format_args!("{rule} tests whether {name} is answered, but an answer is required");
            report.add(Code::ConditionAlwaysTrue, at, message);
        }
    } else if order.can_follow(page, question.page) == Some(false) {
        let message = format_args!("{rule} tests {name}, which is never asked before the rule is tried");
        report.add(Code::ConditionOnLaterPage, format!("{at}/fieldId"), message);
    } else if order.can_bypass(page, question.page) {
        let message = format_args!("{rule} tests {name}, but some paths to the rule skip the question");
        report.add(Code::ConditionMaybeUnasked, format!("{at}/fieldId"), message);
    }
}
