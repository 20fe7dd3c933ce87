//! Checks for members of other products that change who must answer what.

use super::{
    Code, Report,
    names::{Member, Name, Named, question_name},
};
use crate::{Extra, entries, foreign_member::Effect, plan::Questionnaire};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    for (index, (_, page)) in form.source.pages().into_iter().enumerate() {
        // Most records have no unknown members, so their names are not formatted.
        if let Some(page) = page.filter(|page| !page.extra.is_empty()) {
            add(form, &page.extra, &form.page_pointer(index), &form.page_name(index), true, report);
        }
    }
    for (index, question) in form.questions.iter().enumerate() {
        let has_extra = !question.record.extra.is_empty();
        if !has_extra && question.record.options.items().all(|option| option.extra.is_empty()) {
            continue;
        }
        let at = form.question_pointer(index);
        add(form, &question.record.extra, &at, &question_name(question), question.required, report);
        for (index, option) in entries(&question.record.options) {
            let at = format!("{at}/options/{index}");
            add(form, &option.extra, &at, &option.name(index, &form.policy), false, report);
        }
    }
}

fn add(form: &Questionnaire<'_>, extra: &Extra, at: &str, name: &Name<'_>, required: bool, report: &mut Report) {
    for (member, effect) in Effect::all(extra) {
        let at = format!("{at}/{}", member.replace('~', "~0").replace('/', "~1"));
        let stuck = if required { ", and they cannot continue without an answer" } else { "" };
        let consequence = match effect {
            Effect::Hidden => format!("visitors for whom {name} should be hidden see it{stuck}"),
            Effect::Required if required => format!("all visitors must answer {name}"),
            Effect::Required => format!("visitors can leave {name} unanswered"),
            Effect::Other => format!("visitors cannot give an answer to {name} that is not one of its options"),
        };
        let member = Member { form, pointer: &at };
        report.add(Code::UnsupportedMember, &at, format_args!("{member} has no effect, so {consequence}"));
    }
}
