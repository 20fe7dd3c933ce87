//! Checks placeholders in labels, endings and the confirmation message.

use super::{
    Code, Report,
    names::{Member, question_name, quoted},
    order::PageOrder,
    similar::similar,
};
use crate::{
    placeholder::{Piece, pieces},
    plan::{QuestionPlan, Questionnaire},
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

/// Checks the placeholders in the text. Returns the keys of the placeholders that refer to a question and have no
/// fallback of their own.
pub(super) fn check_text<'t>(form: &Questionnaire<'_>, text: &'t str, at: &str, report: &mut Report) -> Vec<&'t str> {
    let mut known = Vec::new();
    let member = Member { form, pointer: at };
    for piece in pieces(text) {
        match piece {
            Piece::Text(_) => {}
            Piece::Brace(brace) => {
                report.add(Code::UnbalancedBrace, at, format_args!("{member} has an unmatched `{brace}`"));
            }
            Piece::Key { key, .. } => match form.placeholder(key) {
                (key, None) if form.is_known_key(key) => known.extend(form.known_key(key)),
                // A placeholder with its own fallback reads well without an answer.
                (key, Some(_)) if form.is_known_key(key) => {}
                (key, fallback) => {
                    let message =
                        format_args!("{member} has the placeholder {}, which refers to no question", placeholder(key));
                    report.add_with_fix(Code::UnknownPlaceholder, at, message, || {
                        let mapped = form.questions.iter().filter_map(|question| question.key);
                        let ids = form.questions.iter().map(|question| question.id);
                        let key = similar(key, mapped.chain(ids))?;
                        let meant = fallback.map_or_else(|| key.to_owned(), |fallback| format!("{key}|{fallback}"));
                        Some(format!("Replace it with {}.", placeholder(&meant)))
                    });
                }
            },
        }
    }
    known
}

/// Returns the questions that a key refers to.
fn named<'f, 'r>(form: &'f Questionnaire<'r>, key: &str) -> Vec<&'f QuestionPlan<'r>> {
    form.questions_of_key(key).into_iter().filter_map(|index| form.questions.get(index)).collect()
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
        (Code::PlaceholderMaybeUnanswered, "which may be unanswered")
    } else if known.iter().any(|other| other.page == question.page) {
        (Code::PlaceholderSamePage, "which is on the same page")
    } else {
        (Code::PlaceholderNotYetAsked, "which is never asked before")
    };
    let Some(other) = known.first().map(|other| question_name(other)) else { return };
    let name = question_name(question);
    report.add(code, at, format_args!("{name} has the placeholder {} of {other}, {message}", placeholder(key)));
}

/// Returns the placeholder of this key, truncated to fit a message.
fn placeholder(key: &str) -> String {
    quoted(&format!("{{{key}}}"))
}
