//! Walks as JSON, for command lines and browsers.

use serde_json::{Map, Value, json};

use super::{Attribute, Escape, Finish, Outcome, Step, StepQuestion, VerificationKind, Walk};
use crate::form::extensible_enum::CalendarProvider;

impl Walk<'_> {
    /// Returns the whole result of the walk as a JSON object with the members `path`, `steps`, `uncertain`, `score`,
    /// `progress`, `pruned`, `verifications`, `outcome`, `problems`, `again`, `ending`, `lead`, `no_lead`, `named_by`
    /// and `attributes`. A known placeholder without an answer becomes its own fallback, or else `fallback`.
    ///
    /// ```
    /// # use leadapi_core::form::{Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"fields":[{"id":"q","label":"Why?","required":true}]}}"#,
    /// )?;
    /// let form = record.compile(Version::Draft, &Policy::default());
    /// let json = form.walk(&Answers::new()).to_json("");
    /// assert_eq!(json["outcome"], "awaiting");
    /// assert_eq!(json["problems"][0]["problem"], "missing");
    /// assert_eq!(json["steps"][0]["questions"][0]["label"], "Why?");
    /// assert_eq!(json["no_lead"], "not_finished");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_json(&self, fallback: &str) -> Value {
        let mut json = Map::new();
        let mut set = |name: &str, value: Value| json.insert(name.to_owned(), value);
        set("path", self.steps().map(Step::page).collect());
        set("steps", self.steps().map(|step| step_json(step, fallback)).collect());
        set("uncertain", self.steps().any(Step::is_uncertain).into());
        set("score", self.score().into());
        set("progress", self.progress().into());
        set("pruned", json!(self.pruned()));
        let verifications = self.verifications().into_iter().map(|verification| {
            let check = if verification.kind == VerificationKind::Email { "email" } else { "phone" };
            json!({"check": check, "question": verification.question, "text": verification.text})
        });
        set("verifications", verifications.collect());

        let (mut problems, mut again, mut ending) = (Value::Array(Vec::new()), Value::Null, Value::Null);
        let outcome = match self.outcome() {
            Outcome::Empty => "empty",
            Outcome::Loop { page } => {
                again = json!(page);
                "endless"
            }
            Outcome::Awaiting { problems: found } => {
                let found = found.into_iter().map(|(id, problem)| {
                    json!({"question": id, "problem": problem.as_str(), "message": problem.to_string()})
                });
                problems = found.collect();
                "awaiting"
            }
            Outcome::Finished(finish) => {
                ending = ending_json(self, &finish, fallback);
                "finished"
            }
        };
        set("outcome", outcome.into());
        set("problems", problems);
        set("again", again);
        set("ending", ending);

        let lead = self.lead();
        set("lead", json!(lead.as_ref().ok().map(|made| &made.lead)));
        set("no_lead", json!(lead.as_ref().err().map(|reason| reason.as_str())));
        set("named_by", json!(lead.as_ref().ok().map(|made| made.name_source.as_str())));
        let attributes = lead.as_ref().map_or(&[][..], |made| &made.attributes);
        set("attributes", attributes.iter().map(attribute_json).collect());
        Value::Object(json)
    }
}

fn step_json(step: Step<'_, '_>, fallback: &str) -> Value {
    let question = |question: StepQuestion<'_, '_>| {
        json!({
            "id": question.id(),
            "label": question.label(fallback, Escape::Plain),
            "text": question.text(),
        })
    };
    let skipped_rules = step.skipped_rules().into_iter();
    let skipped_rules =
        skipped_rules.map(|skipped| json!({"rule": skipped.rule, "at": skipped.at, "kind": skipped.reason.as_str()}));
    json!({
        "page": step.page(),
        "title": step.title(),
        "progress": step.progress(),
        "questions": step.questions().map(question).collect::<Vec<_>>(),
        "uncertain": step.is_uncertain(),
        "notices": skipped_rules.collect::<Vec<_>>(),
    })
}

fn ending_json(walk: &Walk<'_>, finish: &Finish<'_>, fallback: &str) -> Value {
    let fill = |text: Option<&str>| text.map(|text| walk.fill(text, fallback, Escape::Plain));
    let calendar = finish.calendar.as_ref().map(|calendar| {
        let provider = calendar.provider.map(CalendarProvider::as_str);
        json!({"slug": calendar.slug, "provider": provider, "duration": calendar.duration})
    });
    json!({
        "id": finish.id,
        "title": finish.title,
        "heading": fill(finish.heading),
        "message": fill(finish.message),
        "creates_lead": finish.creates_lead,
        "meta_event": finish.meta_event,
        "calendar": calendar,
        "redirect": finish.redirect,
    })
}

fn attribute_json(attribute: &Attribute<'_>) -> Value {
    json!({
        "key": attribute.key,
        "question": attribute.question,
        "label": attribute.label,
        "text": attribute.text,
        "answer": attribute.answer,
    })
}
