//! Checks the operators and operands of conditions, and whether walks reach a question before a rule reads its answer.

use std::{collections::HashMap, fmt};

use super::{
    Code, Report,
    names::{RuleName, question_name, quoted},
    order::PageOrder,
    similar::similar,
};
use crate::{
    Answer, Condition, Operand, Operator, entries,
    plan::{Comparison, Cond, Meaning, QuestionKind, QuestionPlan, Questionnaire, Test, non_blank, page_of_score},
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

/// The answer or the score that a condition reads.
struct Tested<'f, 'r> {
    rule: RuleName<'f, 'r>,
    /// `None` for a score.
    question: Option<&'f QuestionPlan<'r>>,
    id: &'f str,
}

impl fmt::Display for Tested<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.question {
            Some(question) => question_name(question).fmt(f),
            None => write!(f, "score {}", quoted(self.id)),
        }
    }
}

/// Checks a single condition. Returns the question that it reads, or `None` if the condition reads a score, can never
/// hold or cannot be evaluated.
fn check_condition<'f, 'r>(
    form: &'f Questionnaire<'r>,
    rule: RuleName<'f, 'r>,
    condition: &'f Condition,
    at: &str,
    report: &mut Report,
) -> Option<&'f QuestionPlan<'r>> {
    let op = condition.op.get().map_or("", |op| op.as_str());
    let meaning = Meaning::of(condition);
    if meaning.is_none() && form.policy.operators.get(op).is_none() {
        let message = match op {
            "" => format!("{rule} has a condition without an operator"),
            op => format!("{rule} uses the unknown operator {}", quoted(op)),
        };
        report.add_with_fix(Code::UnknownOperator, format_args!("{at}/op"), message, || {
            Some(format!("Use the operator `{}`.", similar_operator(op)?))
        });
        return None;
    }
    let id = non_blank(&condition.field_id).unwrap_or_default();
    let question = form.question(id).and_then(|index| form.questions.get(index));
    if question.is_none() && form.scores.find(id).is_none() {
        report_missing(rule, id, at, report);
        return None;
    }
    // Only the host knows which values its own operators take.
    let Some(Meaning { comparison, .. }) = meaning else { return question };
    let tested = Tested { rule, question, id };
    if !comparison.takes_value() && !condition.value.is_absent() && !Meaning::is_exists(condition) {
        let message =
            format_args!("{rule} tests {tested} with {} and a value, but the operator takes none", quoted(op));
        report.add(Code::ValueIgnored, format!("{at}/value"), message);
    }
    let applies = question.map_or(comparison.applies_to_score(), |question| comparison.applies_to(&question.kind));
    if !applies {
        let code = if comparison.is_ordered() { Code::GtOnNonNumber } else { Code::OperatorMismatch };
        let message = format_args!("{rule} applies {} to {tested}, which the operator cannot compare", quoted(op));
        report.add(code, format!("{at}/op"), message);
        return None;
    }
    let fits = |value: &Operand| {
        let test = question.map_or_else(
            || Test::of_score(comparison, Some(value)),
            |question| Test::new(comparison, &question.kind, Some(value)),
        );
        test.is_some() && question.is_none_or(|question| can_equal(comparison, question, value))
    };
    let value = condition.value.get();
    // Each element of an array is reported on its own, but the bounds of a range only make sense together.
    let elements = match value {
        Some(Operand::List(values)) if comparison != Comparison::Between => values.as_slice(),
        _ => &[],
    };
    for (index, value) in elements.iter().enumerate().filter(|(_, value)| !fits(value)) {
        report_value(&tested, comparison, Some(value), &format!("{at}/value/{index}"), report);
    }
    let is_usable = matches!(Cond::new(form, condition), Cond::Ask { .. } | Cond::Score { .. });
    if is_usable && value.is_none_or(|value| !elements.is_empty() || fits(value)) {
        return question;
    }
    if elements.iter().all(fits) {
        report_value(&tested, comparison, value, &format!("{at}/value"), report);
    }
    None
}

/// Returns whether a valid answer can equal the value, or end with it. Only the values of email addresses, phone numbers
/// and web addresses are checked, because any other text can be an answer.
fn can_equal(comparison: Comparison, question: &QuestionPlan<'_>, value: &Operand) -> bool {
    let Operand::Text(text) = value else { return true };
    match (comparison, &question.kind) {
        (Comparison::Equals | Comparison::In, QuestionKind::Email | QuestionKind::Phone | QuestionKind::Url) => {
            question.kind.read(question.record, question.locale, &Answer::from(text.as_str())).is_ok()
        }
        (Comparison::EndsWith, QuestionKind::Email) => {
            let text = text.trim();
            !text.ends_with(['@', '.']) && text.matches('@').count() < 2 && !text.contains(char::is_whitespace)
        }
        _ => true,
    }
}

/// Returns the operator that the author probably meant with this name.
fn similar_operator(name: &str) -> Option<Operator> {
    let names = Operator::ALL
        .iter()
        .flat_map(|operator| [operator.as_str()].into_iter().chain(operator.aliases().iter().copied()));
    similar(name, names).map(|name| Operator::from(name).resolve())
}

/// Reports a condition on a question or a score that does not exist.
fn report_missing(rule: RuleName<'_, '_>, id: &str, at: &str, report: &mut Report) {
    let (code, at) = (Code::ConditionQuestionMissing, format_args!("{at}/fieldId"));
    if let Some(page) = page_of_score(id) {
        let message = format_args!("{rule} tests the score of page {}, which does not exist", quoted(page));
        report
            .add_with_fix(code, at, message, || Some(format!("Test the score of {}.", rule.form.similar_page(page)?)));
    } else {
        let message = format_args!("{rule} tests question {}, which does not exist", quoted(id));
        report.add_with_fix(code, at, message, || Some(format!("Test {}.", rule.form.similar_question(id)?)));
    }
}

/// Reports a missing value, or a value that no answer or score can match.
fn report_value(
    tested: &Tested<'_, '_>,
    comparison: Comparison,
    value: Option<&Operand>,
    at: &str,
    report: &mut Report,
) {
    let rule = tested.rule;
    let fix = || {
        let fix = match tested.question.map(|question| &question.kind) {
            _ if comparison == Comparison::Between => "Write an array of the least and the greatest value.",
            None | Some(QuestionKind::Number { .. }) => "Write a number such as `18`.",
            Some(QuestionKind::Date(_)) => "Write a date such as `2026-05-31`.",
            Some(QuestionKind::Bool { .. }) => "Write `true` or `false`.",
            Some(_) => return None,
        };
        Some(fix.to_owned())
    };
    match (tested.question, value) {
        (Some(question), Some(Operand::Text(option))) if question.kind.options().is_some() => {
            let message = format_args!("{rule} tests {tested} for option {}, which does not exist", quoted(option));
            report.add_with_fix(Code::ConditionOptionMissing, at, message, || {
                Some(format!("Compare with the id of {}.", rule.form.similar_option(question.record, option)?))
            });
        }
        (Some(_), _) => {
            let message = format_args!("{rule} compares {tested} with a value that no answer can match");
            report.add_with_fix(Code::ValueMismatch, at, message, fix);
        }
        (None, _) => {
            let message = format_args!("{rule} compares {tested} with a value that no score can match");
            report.add_with_fix(Code::ValueMismatch, at, message, fix);
        }
    }
}

/// Reports a condition whose question is never asked, or not asked on every path, before the rule is tried. Also
/// reports a test of whether a required question on the rule's own page is answered.
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
        let is_filled = Meaning { comparison: Comparison::Filled, negated: false };
        if Meaning::of(condition) == Some(is_filled) && question.required {
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
