//! Checks placeholders in labels, endings and the confirmation message.

use super::{Code, Report, names::quoted, order::PageOrder};
use crate::form::{
    plan::{QuestionPlan, Questionnaire},
    walk::{Piece, pieces},
};

pub(super) fn check(form: &Questionnaire<'_>, order: &mut PageOrder<'_>, report: &mut Report) {
    for (index, question) in form.questions.iter().enumerate() {
        let at = format!("{}/label", form.question_pointer(index));
        for key in check_text(form, &question.label, &at, report) {
            let known: Vec<&QuestionPlan<'_>> = named(form, key);
            // A required question on every path to this page is always answered.
            let certain = known.iter().any(|other| {
                other.required && other.page != question.page && !order.can_bypass(question.page, other.page)
            });
            if !certain {
                check_order(order, &known, question, key, &at, report);
            }
        }
    }
    for ending in &form.endings {
        let at = form.ending_pointer(ending.at);
        for (name, text) in [("heading", &ending.heading), ("message", &ending.message)] {
            check_text(form, text.as_deref().unwrap_or_default(), &format!("{at}/{name}"), report);
        }
    }
    if form.endings.is_empty() {
        check_text(
            form,
            form.confirmation.as_deref().unwrap_or_default(),
            &form.pointer("confirmation_message"),
            report,
        );
    }
}

/// Checks the placeholders in the text, and returns the keys that refer to questions.
fn check_text<'t>(form: &Questionnaire<'_>, text: &'t str, at: &str, report: &mut Report) -> Vec<&'t str> {
    let mut known = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(_) => {}
            Piece::Brace(brace) => {
                report.add(Code::UnbalancedBrace, at, format_args!("the brace {brace:?} is unmatched"));
            }
            Piece::Key { key, .. } => match form.placeholder(key) {
                (key, None) if form.is_known_key(key) => known.push(key),
                // A placeholder with its own fallback reads well without an answer.
                (key, Some(_)) if form.is_known_key(key) => {}
                (key, _) => report.add(
                    Code::UnknownPlaceholder,
                    at,
                    format_args!("no question is mapped to {0} or has the id {0}", quoted(key)),
                ),
            },
        }
    }
    known
}

/// Returns the questions that a key refers to.
fn named<'f, 'r>(form: &'f Questionnaire<'r>, key: &str) -> Vec<&'f QuestionPlan<'r>> {
    let mapped = form.mapped.get(key).into_iter().flatten().copied();
    mapped.chain(form.question(key)).filter_map(|index| form.questions.get(index)).collect()
}

fn check_order(
    order: &mut PageOrder<'_>,
    known: &[&QuestionPlan<'_>],
    question: &QuestionPlan<'_>,
    key: &str,
    at: &str,
    report: &mut Report,
) {
    let mut before = |other: &&QuestionPlan<'_>| {
        other.page != question.page && order.can_follow(question.page, other.page) != Some(false)
    };
    let (code, message) = if known.iter().any(&mut before) {
        (Code::PlaceholderMaybeUnanswered, "may be unanswered when the label is shown")
    } else if known.iter().any(|other| other.page == question.page) {
        (Code::PlaceholderSamePage, "is on the same page")
    } else {
        (Code::PlaceholderNotYetAsked, "is never asked before the label is shown")
    };
    report.add(code, at, format_args!("the question for the placeholder {} {message}", quoted(key)));
}
