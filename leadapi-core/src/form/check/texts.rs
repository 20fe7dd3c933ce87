//! Placeholders in labels and in what is said at the end.

use super::{Code, Report};
use crate::form::{
    plan::{QuestionPlan, Questionnaire},
    walk::{Piece, pieces},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let from_first = |missed: usize| form.graph.reached([0], |page| page != missed);
    let mut without: Vec<Option<Vec<bool>>> = vec![None; form.pages.len()];
    for (index, question) in form.questions.iter().enumerate() {
        let at = format!("{}/label", form.question_at(index));
        for key in check_text(form, question.label, &at, report) {
            let known: Vec<&QuestionPlan<'_>> = named(form, key);
            // Answered for certain: required, and on every path to here.
            let certain = known.iter().any(|other| {
                other.required
                    && other.page != question.page
                    && without.get_mut(other.page).is_some_and(|without| {
                        without.get_or_insert_with(|| from_first(other.page)).get(question.page) == Some(&false)
                    })
            });
            if !certain {
                check_order(form, &known, question, key, &at, report);
            }
        }
    }
    for ending in &form.endings {
        let at = form.ending_at(ending.at);
        for (name, text) in [("heading", &ending.record.heading), ("message", &ending.record.message)] {
            check_text(form, text.as_str().unwrap_or_default(), &format!("{at}/{name}"), report);
        }
    }
    if form.endings.is_empty() {
        check_text(form, form.source.confirmation.unwrap_or_default(), &form.at("confirmation_message"), report);
    }
}

/// The keys in a text that questions answer.
fn check_text<'t>(form: &Questionnaire<'_>, text: &'t str, at: &str, report: &mut Report) -> Vec<&'t str> {
    let mut known = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(_) => {}
            Piece::Brace(brace) => {
                report.add(Code::UnbalancedBrace, at, format!("{brace:?} is no part of a placeholder"));
            }
            Piece::Key { key, .. } if form.knows(key) => known.push(key),
            Piece::Key { key, .. } => {
                report.add(Code::UnknownPlaceholder, at, format!("no question is mapped to {key:?} or has this id"));
            }
        }
    }
    known
}

/// The questions that a key stands for.
fn named<'f, 'r>(form: &'f Questionnaire<'r>, key: &str) -> Vec<&'f QuestionPlan<'r>> {
    let mapped = form.mapped.get(key).into_iter().flatten().copied();
    mapped.chain(form.question(key)).filter_map(|index| form.questions.get(index)).collect()
}

fn check_order(
    form: &Questionnaire<'_>,
    known: &[&QuestionPlan<'_>],
    question: &QuestionPlan<'_>,
    key: &str,
    at: &str,
    report: &mut Report,
) {
    let before = |other: &&QuestionPlan<'_>| {
        other.page != question.page && form.graph.reached([other.page], |_| true).get(question.page) == Some(&true)
    };
    let (code, message) = if known.iter().any(before) {
        (Code::PlaceholderMaybeUnanswered, "may be unanswered by then")
    } else if known.iter().any(|other| other.page == question.page) {
        (Code::PlaceholderSamePage, "is asked on the same page")
    } else {
        (Code::PlaceholderNotYetAsked, "cannot have been asked by then")
    };
    report.add(code, at, format!("what {key:?} stands for {message}"));
}
