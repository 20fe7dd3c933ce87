//! Checks for members of other products that change who must answer what.

use super::{
    Code, Report,
    names::{Member, Name, Named, question_name},
};
use crate::{entries, foreign_member::Effect, plan::Questionnaire};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    // Most records have no unknown members, so their names are not formatted.
    for (index, (_, page)) in form.source.pages().into_iter().enumerate() {
        if let Some(page) = page.filter(|page| !page.extra.is_empty()) {
            let has_required = form.has_required(index);
            let (at, name) = (form.page_pointer(index), form.page_name(index));
            for (member, effect) in Effect::of_page(page, has_required) {
                add(form, (&at, member), &consequence(effect, &name, &name, has_required), report);
            }
        }
    }
    for (index, question) in form.questions.iter().enumerate() {
        let has_extra = !question.record.extra.is_empty();
        if !has_extra && question.record.options.items().all(|option| option.extra.is_empty()) {
            continue;
        }
        let (at, name) = (form.question_pointer(index), question_name(question));
        for (member, effect) in Effect::of_question(question) {
            add(form, (&at, member), &consequence(effect, &name, &name, question.required), report);
        }
        for (index, option) in entries(&question.record.options) {
            let at = format!("{at}/options/{index}");
            for (member, effect) in Effect::of_option(option) {
                let option = option.name(index, &form.policy);
                add(form, (&at, member), &consequence(effect, &option, &name, false), report);
            }
        }
    }
}

/// Returns what happens to visitors because a member of `owner` has no effect.
fn consequence(effect: Effect, owner: &Name<'_>, question: &Name<'_>, is_required: bool) -> String {
    let stuck = if is_required { ", and they cannot continue without an answer" } else { "" };
    match effect {
        Effect::Hidden => format!("visitors for whom {owner} should be hidden see it{stuck}"),
        Effect::Required if is_required => format!("all visitors must answer {owner}"),
        Effect::Required => format!("visitors can leave {owner} unanswered"),
        Effect::Other => format!("visitors cannot give an answer to {question} that is not one of its options"),
    }
}

fn add(form: &Questionnaire<'_>, (at, member): (&str, &str), consequence: &str, report: &mut Report) {
    let at = format!("{at}/{}", member.replace('~', "~0").replace('/', "~1"));
    let member = Member { form, pointer: &at };
    report.add(Code::UnsupportedMember, &at, format_args!("{member} has no effect, so {consequence}"));
}
