//! A visit: the answers so far and the page on display, as the query of a URL.

use form_urlencoded::Serializer;
use leadapi_form::{Answers, Outcome, Questionnaire, Step, StepQuestion};

use super::{FormVersion, control::Control};
use leadapi_pages::web::Fields;

/// The answers so far, and the page on display.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) version: FormVersion,
    pub(super) answers: Answers,
    /// The number of pages that the visitor has left, which is also the index of the page on display. After the last
    /// page, the ending is on display.
    pub(super) at: usize,
    /// Whether the visitor tried to leave the page although answers are missing or invalid.
    pub(super) shows_problems: bool,
}

impl Visit {
    /// Reads a visit, with the answers to the page that the visitor has submitted.
    ///
    /// A walk continues past pages without required questions, even if the visitor has not seen them yet. The page on
    /// display therefore depends on the number of submitted pages, and the walk only limits that number.
    pub(super) fn read(form: &Questionnaire<'_>, version: FormVersion, fields: &Fields) -> Self {
        let answers: Answers = serde_json::from_str(fields.get("answers")).unwrap_or_default();
        let at: usize = fields.get("at").parse().unwrap_or(0);
        let walk = form.walk(&answers);
        let (answers, at) = match (fields.get("go"), walk.steps().nth(at)) {
            ("next", Some(step)) => (submitted(&answers, step, fields), at.saturating_add(1)),
            ("back", Some(step)) => (submitted(&answers, step, fields), at.saturating_sub(1)),
            ("back", None) => (answers.clone(), walk.steps().count().saturating_sub(1)),
            _ => (answers.clone(), at),
        };
        let walk = form.walk(&answers);
        let steps = walk.steps().count();
        let last = match walk.outcome() {
            // The walk stops at the first page whose answers are missing or invalid.
            Outcome::Awaiting { .. } => steps.saturating_sub(1),
            _ => steps,
        };
        Self { version, at: at.min(last), shows_problems: at > last, answers }
    }

    /// Returns the answers to the pages that the visitor has left. Answers to other pages remain from earlier visits to
    /// them, and do not count yet.
    pub(super) fn counted(&self, form: &Questionnaire<'_>) -> Answers {
        let walk = form.walk(&self.answers);
        let left = walk.steps().take(self.at).flat_map(Step::questions);
        left.filter_map(|question| Some((question.id(), question.answer()?.clone()))).collect()
    }

    /// Returns the URL of this visit at another page.
    pub(super) fn url(&self, at: usize) -> String {
        url(self.version, &self.answers, at)
    }

    pub(super) fn answers_json(&self) -> String {
        json(&self.answers)
    }
}

/// Returns the URL of a visit with these answers.
pub(super) fn url(version: FormVersion, answers: &Answers, at: usize) -> String {
    let fields = [("version", version.as_str()), ("answers", &json(answers)), ("at", &at.to_string())];
    format!("/?{}", Serializer::new(String::new()).extend_pairs(fields).finish())
}

fn json(answers: &Answers) -> String {
    serde_json::to_string(answers).unwrap_or_default()
}

/// Replaces the answers to a page with those that the visitor has submitted.
fn submitted(before: &Answers, step: Step<'_, '_>, fields: &Fields) -> Answers {
    let asked: Vec<&str> = step.questions().map(StepQuestion::id).collect();
    let kept = before.iter().filter(|(id, _)| !asked.contains(id));
    let mut answers: Answers = kept.map(|(id, answer)| (id, answer.clone())).collect();
    for question in step.questions() {
        let name = Control::name(question.id());
        if let Some(answer) = Control::of(question).answer(fields, &name) {
            answers.set(question.id(), answer);
        }
    }
    answers
}
