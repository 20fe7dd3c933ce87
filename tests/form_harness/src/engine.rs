//! Walks forms with the engine, and reports each walk in the format of the test vectors.

use leadapi_form::{
    Answers, CalendarProvider, Escape, FormRecord, NoLead, Outcome, Policy, Questionnaire, Step, VerificationKind,
    Version, Walk,
};
use serde_json::{Map, Value, json};

/// The text that replaces a placeholder whose question exists but has no answer.
pub const FALLBACK: &str = "…";

/// Walks a record and returns the report.
pub fn report(record: &Value, draft: bool, answers: &Value) -> Value {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let version = if draft { Version::Draft } else { Version::Live };
    let form = Questionnaire::compile(&record, version, &Policy::default());
    report_of(&form, &serde_json::from_str(&answers.to_string()).unwrap())
}

/// Walks a compiled form and returns the report.
pub fn report_of(form: &Questionnaire<'_>, answers: &Answers) -> Value {
    let walk = form.walk(answers);
    let mut report = Map::new();
    let mut say = |key: &str, value: Value| report.insert(key.to_owned(), value);
    say("path", walk.steps().map(Step::page).collect());
    let numbers = walk.steps().enumerate();
    say("uncertain", numbers.filter(|(_, step)| step.is_uncertain()).map(|(number, _)| number).collect());
    let skipped_rules = walk.steps().enumerate().flat_map(|(number, step)| {
        step.skipped_rules().into_iter().map(move |skipped| json!([number, skipped.at, skipped.reason.as_str()]))
    });
    say("notices", skipped_rules.collect());
    say("progress", walk.progress().into());
    say("steps", walk.steps().map(Step::progress).collect());
    say("score", walk.score().into());
    let questions = walk.steps().flat_map(Step::questions);
    let labels = questions.map(|question| (question.id().to_owned(), question.label(FALLBACK, Escape::Plain).into()));
    say("labels", Value::Object(labels.collect()));
    say("pruned", walk.pruned().iter().map(|(id, _)| id).collect());
    let verify = walk.verifications().into_iter().map(|verification| {
        let check = if verification.kind == VerificationKind::Email { "email" } else { "phone" };
        json!([check, verification.question, verification.text])
    });
    say("verify", verify.collect());
    let outcome = match walk.outcome() {
        Outcome::Empty => "empty",
        Outcome::Awaiting { problems } => {
            let problems = problems.into_iter().map(|(id, problem)| (id.to_owned(), json!(problem.as_str())));
            say("problems", Value::Object(problems.collect()));
            "awaiting"
        }
        Outcome::Loop { page } => {
            say("again", json!(page));
            "endless"
        }
        Outcome::Finished(finish) => {
            say("ending", json!(finish.id));
            for (key, escape) in
                [("message", Escape::Plain), ("message_html", Escape::Html), ("message_url", Escape::Url)]
            {
                say(key, walk.fill(finish.message.unwrap_or_default(), FALLBACK, escape).into());
            }
            say("meta_event", json!(finish.meta_event));
            let calendar = finish.calendar.map(|calendar| {
                let provider = calendar.provider.map(CalendarProvider::as_str);
                json!({"slug": calendar.slug, "provider": provider, "duration": calendar.duration})
            });
            say("calendar", json!(calendar));
            say("redirect", json!(finish.redirect));
            "finished"
        }
        other => panic!("{other:?}"),
    };
    say("outcome", outcome.into());
    lead(&walk, &mut report);
    Value::Object(report)
}

fn lead(walk: &Walk<'_>, report: &mut Map<String, Value>) {
    let mut say = |key: &str, value: Value| report.insert(key.to_owned(), value);
    match walk.lead() {
        Err(reason) => {
            let reason = match reason {
                NoLead::NotFinished => "not_finished",
                NoLead::NotWanted => "not_wanted",
                NoLead::NoClient => "no_client",
                NoLead::NoName => "no_name",
                other => panic!("{other:?}"),
            };
            say("no_lead", reason.into());
        }
        Ok(made) => {
            // The service must accept the lead, whatever the answers.
            made.lead.check().unwrap();
            let lines = made.lead.notes.as_deref().map_or(0, |notes| notes.lines().count());
            assert!(lines <= made.attributes.len(), "an answer started a line of the notes: {made:?}");
            let mut lead = serde_json::to_value(&made.lead).unwrap();
            if let Some(value) = made.lead.value {
                lead["value"] = json!(value);
            }
            say("lead", lead);
            say("named_by", made.name_source.as_str().into());
            let attributes = made
                .attributes
                .iter()
                .map(|attribute| json!([attribute.key, attribute.question, attribute.label, attribute.text]));
            say("attributes", attributes.collect());
        }
    }
}
