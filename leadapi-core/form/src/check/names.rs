//! JSON pointers to parts of a record, and the names of these parts in messages. A name combines the title that the
//! author chose with the id.
//!
//! [`RuleName`] and [`Member`] look up their parts only when they are formatted, because the report formats only the
//! findings that it lists.

use std::{borrow::Cow, fmt};

use super::similar::similar;
use crate::{
    Choice, Ending, Page, Question, Rule, entries,
    locale::choose_filled,
    plan::{EndingPlan, QuestionPlan, Questionnaire, non_blank},
    policy::Policy,
};

/// The maximum length, in characters, of a title or an id quoted in a message.
const MAX_CHARS: usize = 60;

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

/// A part of a record, formatted as `page "Your budget" (p3)`. Without a title, the format is `page p3`. Without an id,
/// the number of the part replaces the id, as in `page #3`.
#[derive(Clone)]
pub(super) struct Name<'a> {
    what: &'static str,
    id: Option<&'a str>,
    at: usize,
    title: Option<Cow<'a, str>>,
}

impl<'a> Name<'a> {
    pub(super) fn id(&self) -> Option<&'a str> {
        self.id
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id.map_or_else(|| format!("#{}", self.at + 1), bare);
        match self.title.as_deref().map(str::trim).filter(|title| !title.is_empty()) {
            Some(title) => write!(f, "{} {} ({id})", self.what, quoted(title)),
            None => write!(f, "{} {id}", self.what),
        }
    }
}

/// A record type whose values have a name. `at` is the index of the value in its array. If the title has several
/// languages, the policy chooses one.
pub(super) trait Named {
    fn name(&self, at: usize, policy: &Policy) -> Name<'_>;
}

macro_rules! named {
    ($($type:ident: $what:literal, $($title:ident)or+;)+) => {$(
        impl Named for $type {
            fn name(&self, at: usize, policy: &Policy) -> Name<'_> {
                let title = None$(.or_else(|| choose_filled(&self.$title, policy)))+;
                Name { what: $what, id: non_blank(&self.id), at, title }
            }
        }
    )+};
}

named! {
    Page: "page", title;
    Question: "question", label;
    Choice: "option", label;
    Ending: "ending", title or heading;
    Rule: "rule", name;
}

impl<'r> Questionnaire<'r> {
    pub(super) fn page_name(&self, page: usize) -> Name<'_> {
        let plan = self.pages.get(page);
        let (id, title) = (plan.and_then(|page| page.id), plan.map(|page| Cow::Borrowed(&*page.title)));
        Name { what: "page", id, at: page, title }
    }

    /// Returns the name of the page that the author probably meant with this id.
    pub(super) fn similar_page(&self, id: &str) -> Option<Name<'_>> {
        let id = similar(id, self.pages.iter().filter_map(|page| page.id))?;
        self.pages.iter().position(|page| page.id == Some(id)).map(|page| self.page_name(page))
    }

    /// Returns the name of the ending that the author probably meant with this id.
    pub(super) fn similar_ending(&self, id: &str) -> Option<Name<'_>> {
        let id = similar(id, self.endings.iter().filter_map(|ending| ending.id))?;
        self.endings.iter().find(|ending| ending.id == Some(id)).map(ending_name)
    }

    /// Returns the name of the question that the author probably meant with this id.
    pub(super) fn similar_question(&self, id: &str) -> Option<Name<'_>> {
        let id = similar(id, self.questions.iter().map(|question| question.id))?;
        self.questions.iter().find(|question| question.id == id).map(question_name)
    }

    /// Returns the name of the option that the author probably meant with this id. The author may have written the
    /// label of the option instead of its id.
    pub(super) fn similar_option<'a>(&self, question: &'a Question, id: &str) -> Option<Name<'a>> {
        let named = entries(&question.options).map(|(at, option)| option.name(at, &self.policy));
        let options: Vec<Name<'a>> = named.filter(|name| name.id.is_some()).collect();
        let is_label =
            |name: &&Name<'_>| name.title.as_ref().is_some_and(|title| title.trim().eq_ignore_ascii_case(id.trim()));
        let meant = options.iter().find(is_label).or_else(|| {
            let id = similar(id, options.iter().filter_map(|name| name.id))?;
            options.iter().find(|name| name.id == Some(id))
        });
        meant.cloned()
    }

    pub(super) fn rule_name<'f>(&'f self, rule: &'f Rule, at: usize) -> RuleName<'f, 'r> {
        RuleName { form: self, rule, at }
    }

    /// Returns the name of the question with this index, or an empty string if no question has the index.
    pub(super) fn question_name_at(&self, question: usize) -> String {
        self.questions.get(question).map(question_name).map_or_else(String::new, |name| name.to_string())
    }
}

pub(super) fn question_name<'a>(question: &'a QuestionPlan<'_>) -> Name<'a> {
    Name { what: "question", id: Some(question.id), at: question.at, title: Some(Cow::Borrowed(&question.label)) }
}

pub(super) fn ending_name<'a>(ending: &'a EndingPlan<'_>) -> Name<'a> {
    let mut titles = [&ending.title, &ending.heading].into_iter().filter_map(Option::as_deref);
    let title = titles.find(|title| !title.trim().is_empty()).map(Cow::Borrowed);
    Name { what: "ending", id: ending.id, at: ending.at, title }
}

/// A rule, formatted with its page, as `rule "Too young" (r1) of page "Your age" (p2)`.
#[derive(Clone, Copy)]
pub(super) struct RuleName<'f, 'r> {
    pub form: &'f Questionnaire<'r>,
    rule: &'f Rule,
    at: usize,
}

impl fmt::Display for RuleName<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.name(self.at, &self.form.policy).fmt(f)?;
        let id = non_blank(&self.rule.from_page_id);
        match id.and_then(|id| self.form.pages.iter().position(|page| page.id == Some(id))) {
            Some(page) => write!(f, " of {}", self.form.page_name(page)),
            None => Ok(()),
        }
    }
}

/// A member of a record, formatted as `` `min` of question "How old?" (age) ``.
#[derive(Clone, Copy)]
pub(super) struct Member<'p, 'f, 'r> {
    pub form: &'f Questionnaire<'r>,
    pub pointer: &'p str,
}

impl fmt::Display for Member<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (owner, member) = self.owner();
        if !member.is_empty() {
            let member = member.trim_start_matches('/').replace("~1", "/").replace("~0", "~");
            write!(f, "`{}` of ", truncate(&member))?;
        }
        f.write_str(&owner)
    }
}

impl<'p> Member<'p, '_, '_> {
    /// Returns the name of the innermost page, question, option, ending or rule that contains the member, and the rest
    /// of the pointer.
    fn owner(&self) -> (String, &'p str) {
        let whole = self.pointer.strip_prefix("/form").map_or(("the record", self.pointer), |rest| ("the form", rest));
        let whole = (whole.0.to_owned(), whole.1);
        let (source, policy) = (&self.form.source, &self.form.policy);
        let in_version = self.pointer.strip_prefix(source.pointer()).unwrap_or_default();
        if let Some((at, rest)) = element(in_version, "/settings/endings/") {
            let ending = source.endings().find(|(index, _)| *index == at);
            return ending.map_or(whole, |(at, ending)| (ending.name(at, policy).to_string(), rest));
        }
        if let Some((at, rest)) = element(in_version, "/logic/rules/") {
            let rule = source.rules().find(|(index, _)| *index == at);
            return rule.map_or(whole, |(at, rule)| (self.form.rule_name(rule, at).to_string(), rest));
        }
        let (page, in_page) = match element(in_version, "/pages/") {
            Some((at, rest)) => {
                let page = source.pages().into_iter().find(|(index, _)| *index == Some(at)).and_then(|(_, page)| page);
                let Some(page) = page else { return whole };
                (Some((page, at)), rest)
            }
            None => (None, self.pointer.strip_prefix("/form").unwrap_or_default()),
        };
        let outer = page.map_or(whole, |(page, at)| (page.name(at, policy).to_string(), in_page));
        let Some((at, in_question)) = element(in_page, "/fields/") else { return outer };
        let fields = source.fields(page.map(|(page, _)| page));
        let Some((_, question)) = entries(fields).find(|(index, _)| *index == at) else { return outer };
        let question_name = question.name(at, policy).to_string();
        let option = element(in_question, "/options/")
            .and_then(|(at, rest)| Some((entries(&question.options).find(|(index, _)| *index == at)?, rest)));
        match option {
            Some(((at, option), rest)) => (format!("{} of {question_name}", option.name(at, policy)), rest),
            None => (question_name, in_question),
        }
    }
}

/// Splits a pointer into the index of an element of this array, and the rest of the pointer.
fn element<'p>(pointer: &'p str, array: &str) -> Option<(usize, &'p str)> {
    let rest = pointer.strip_prefix(array)?;
    let (index, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    Some((index.parse().ok()?, rest))
}

/// Quotes text from the record, truncated to fit a message.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", truncate(text))
}

/// Returns an id, quoted only if a reader could not tell where it ends.
fn bare(id: &str) -> String {
    let plain = id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
    if plain { truncate(id) } else { quoted(id) }
}

fn truncate(text: &str) -> String {
    let mut truncated: String = text.chars().take(MAX_CHARS).collect();
    if truncated.len() < text.len() {
        truncated.push('…');
    }
    truncated
}
