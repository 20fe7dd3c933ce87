//! A naive interpreter of forms that follows the specification literally: raw JSON, no types, no indexes, and no code
//! shared with the engine. It is slow, but it is an independent reference.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::format_push_string,
    clippy::missing_errors_doc,
    reason = "plain code is the point"
)]

mod conditions;
mod keys;
mod kinds;
mod languages;
mod lead;
mod mail;
mod operators;
mod placeholders;
mod problems;
mod progress;
mod report;
mod routing;
mod structured;
mod texts;
mod values;

use std::collections::BTreeSet;

use serde_json::Value;
use values::{objects, text_of};

/// A form that the interpreter walks.
#[derive(Debug)]
pub struct Naive<'v> {
    form: &'v Value,
    /// The live snapshot or the draft.
    version: &'v Value,
    pages: Vec<Page<'v>>,
    /// Whether the notes begin with the score.
    score_in_notes: bool,
    /// The tag of the form's language in lower case, or an empty string.
    locale: String,
}

#[derive(Debug)]
struct Page<'v> {
    id: Option<&'v str>,
    questions: Vec<(&'v str, &'v Value)>,
}

/// The result of a walk.
#[derive(Debug)]
pub struct Walk {
    /// The indexes of the visited pages.
    pub path: Vec<usize>,
    /// The outcome: `empty`, `awaiting`, `endless` or `finished`.
    pub outcome: &'static str,
    /// The index of the ending, or `None` for the built-in confirmation.
    pub ending: Option<usize>,
    /// The index of the page that the walk would visit again, if the outcome is `endless`.
    pub again: Option<usize>,
    /// The indexes of the jump rules on the path whose conditions cannot be evaluated, including the rules that
    /// [`Naive::walk_if`] followed because of its `matching` argument.
    pub open: Vec<usize>,
    /// The rules on the path whose match or effect is unknown.
    pub undecided: Vec<usize>,
    /// The number of pages that the walk reaches whether or not the undecided rules match.
    pub certain_pages: usize,
    /// Whether a rule on the path may have an unknown action, which could lead to any page.
    pub anywhere: bool,
    problems: Vec<(String, &'static str)>,
    uncertain: Vec<usize>,
    skipped_rules: Vec<Value>,
    /// The rules that the walk followed.
    taken: Vec<usize>,
}

impl<'v> Naive<'v> {
    /// Interprets the live version of a record, or the draft if it was never published or `draft` is true.
    pub fn new(record: &'v Value, draft: bool) -> Self {
        let form = &record["form"];
        let snapshot = &form["live_snapshot"];
        let published = snapshot.as_object().is_some_and(|snapshot| !snapshot.is_empty());
        let version = if !draft && published { snapshot } else { form };
        let mut page_ids = BTreeSet::new();
        let mut question_ids = BTreeSet::new();
        let mut pages = vec![];
        let mut all: Vec<(Option<&str>, &Value)> =
            objects(&version["pages"]).into_iter().map(|(_, page)| (text_of(&page["id"]), &page["fields"])).collect();
        if all.is_empty() && !objects(&form["fields"]).is_empty() {
            all.push((None, &form["fields"]));
        }
        for (id, fields) in all {
            let id = id.filter(|id| page_ids.insert(*id));
            let mut questions = vec![];
            for (_, question) in objects(fields) {
                if let Some(id) = text_of(&question["id"])
                    && question_ids.insert(id)
                {
                    questions.push((id, question));
                }
            }
            pages.push(Page { id, questions });
        }
        let mut tags = vec![&form["locale"]];
        tags.extend(form["languages"].as_array().into_iter().flatten());
        let locale = tags.into_iter().find_map(text_of).unwrap_or("").trim().to_lowercase().replace('_', "-");
        Self { form, version, pages, score_in_notes: false, locale }
    }

    /// Sets whether the notes of leads begin with the score.
    #[must_use]
    pub fn with_score_in_notes(self, score_in_notes: bool) -> Self {
        Self { score_in_notes, ..self }
    }

    fn question(&self, id: &str) -> Option<(usize, &'v Value)> {
        for (at, page) in self.pages.iter().enumerate() {
            for (known, question) in &page.questions {
                if *known == id {
                    return Some((at, question));
                }
            }
        }
        None
    }

    fn endings(&self) -> Vec<(Option<&'v str>, &'v Value)> {
        let mut known = BTreeSet::new();
        let endings = objects(&self.version["settings"]["endings"]);
        endings.into_iter().map(|(_, ending)| (text_of(&ending["id"]).filter(|id| known.insert(*id)), ending)).collect()
    }
}
