//! JSON pointers to parts of a record, and display names for messages. A display name combines an id with the title
//! that the author chose.

use std::fmt;

use crate::form::{
    logic::Rule,
    plan::{EndingPlan, QuestionPlan, Questionnaire, RulePlan, non_blank},
};

/// The maximum length, in characters, of a title quoted in a message.
const MAX_TITLE_CHARS: usize = 60;

impl Questionnaire<'_> {
    pub(super) fn pointer(&self, member: impl fmt::Display) -> String {
        format!("{}/{member}", self.source.pointer())
    }

    pub(super) fn page_pointer(&self, page: usize) -> String {
        match self.pages.get(page).and_then(|page| page.at) {
            Some(at) => self.pointer(format_args!("pages/{at}")),
            None => "/form".to_owned(),
        }
    }

    pub(super) fn question_pointer(&self, question: usize) -> String {
        let plan = self.questions.get(question);
        let (page, at) = plan.map_or((0, 0), |question| (question.page, question.at));
        format!("{}/fields/{at}", self.page_pointer(page))
    }

    pub(super) fn rule_pointer(&self, at: usize) -> String {
        self.pointer(format_args!("logic/rules/{at}"))
    }

    pub(super) fn ending_pointer(&self, at: usize) -> String {
        self.pointer(format_args!("settings/endings/{at}"))
    }
}

impl Questionnaire<'_> {
    pub(super) fn page_name(&self, page: usize) -> String {
        let plan = self.pages.get(page);
        name("page", plan.and_then(|page| page.id), page, plan.map(|page| &*page.title))
    }

    /// Returns the name of the question with this index, or an empty string if no question has the index.
    pub(super) fn question_name_at(&self, question: usize) -> String {
        self.questions.get(question).map(question_name).unwrap_or_default()
    }
}

pub(super) fn question_name(question: &QuestionPlan<'_>) -> String {
    name("question", Some(question.id), question.at, Some(&question.label))
}

pub(super) fn ending_name(ending: &EndingPlan<'_>) -> String {
    let mut titles = [&ending.title, &ending.heading].into_iter().filter_map(Option::as_deref);
    name("ending", ending.id, ending.at, titles.find(|title| !title.trim().is_empty()))
}

pub(super) fn rule_name(rule: &RulePlan<'_>) -> String {
    record_name(rule.record, rule.at)
}

pub(super) fn record_name(rule: &Rule, at: usize) -> String {
    name("rule", non_blank(&rule.id), at, non_blank(&rule.name))
}

/// Formats `page "p1" ("Your age")`, or `page 3 ("Your age")` for a page without an id. Numbers start at 1.
fn name(what: &str, id: Option<&str>, at: usize, title: Option<&str>) -> String {
    let id = id.map_or_else(|| (at + 1).to_string(), |id| format!("{:?}", truncate(id)));
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => format!("{what} {id} ({:?})", truncate(title)),
        None => format!("{what} {id}"),
    }
}

/// Quotes text from the record, truncated to fit a message.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", truncate(text))
}

fn truncate(text: &str) -> String {
    let mut truncated: String = text.chars().take(MAX_TITLE_CHARS).collect();
    if truncated.len() < text.len() {
        truncated.push('…');
    }
    truncated
}
