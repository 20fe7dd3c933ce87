//! Walks as JSON, for command lines and browsers.

use serde_json::{Map, Value, json};

use super::{Attribute, Escape, Finish, Outcome, Step, VerificationKind, Walk, question_json::question_json};
use crate::{CalendarProvider, Phrase};

impl Walk<'_> {
    /// Returns the whole result of the walk as a JSON object with the members `locale`, `texts`, `path`, `steps`,
    /// `uncertain`, `score`, `progress`, `pruned`, `verifications`, `outcome`, `problems`, `again`, `ending`, `lead`,
    /// `no_lead`, `named_by` and `attributes`. It contains everything that a page needs to draw the form: the texts of
    /// buttons, and the type, the options and the limits of each question, in the language of the form. A known
    /// placeholder without an answer becomes its own fallback, or else `fallback`.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, Version};
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"fields":[{"id":"q","label":"Why?","required":true}]}}"#,
    /// )?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
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
        set("locale", json!(self.form.locale()));
        let phrases = Phrase::ALL.into_iter().map(|phrase| (phrase.as_str(), self.form.phrase(phrase)));
        let words = [("yes", self.form.word(true)), ("no", self.form.word(false))];
        set("texts", phrases.chain(words).map(|(name, text)| (name.to_owned(), Value::from(text))).collect());
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
                    json!({"question": id, "problem": problem.as_str(), "message": self.form.message(id, problem)})
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
    let skipped_rules = step.skipped_rules().into_iter();
    let skipped_rules =
        skipped_rules.map(|skipped| json!({"rule": skipped.rule, "at": skipped.at, "kind": skipped.reason.as_str()}));
    json!({
        "page": step.page(),
        "title": step.title(),
        "progress": step.progress(),
        "questions": step.questions().map(|question| question_json(question, fallback)).collect::<Vec<_>>(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, FormRecord, Policy, Questionnaire, Version};

    fn walked(form: &Value, answers: Value) -> Value {
        let record: FormRecord = serde_json::from_value(json!({ "form": form })).unwrap();
        let answers: Answers = serde_json::from_value(answers).unwrap();
        Questionnaire::compile(&record, Version::Draft, &Policy::default()).walk(&answers).to_json("-")
    }

    #[test]
    fn a_finished_walk_has_an_ending_and_a_lead() {
        let form = json!({
            "client_id": "c1",
            "name": "Care",
            "pages": [{"id": "a", "title": "You", "fields": [
                {"id": "q1", "label": "Name?", "type": "short_text", "mappedKey": "name"},
                {"id": "q2", "label": "{name}, mail?", "type": "email", "mappedKey": "email"},
                {"id": "q3", "label": "Phone?", "type": "phone"},
                {"id": "q4", "label": "{q5}, why?", "type": "short_text", "mappedKey": "reason"},
                {"id": "q5", "label": "Age?", "type": "dropdown", "options": [{"id": "x", "label": "10", "score": 3}]},
            ]}],
            "logic": {"rules": [{"id": "r", "fromPageId": "a", "then": {"kind": "jump", "target": "nowhere"},
                "groups": [{"conds": [{"fieldId": "q1", "op": "is_filled"}]}]}]},
            "settings": {"verifyEmail": true, "verifyPhone": true, "redirectUrl": "https://x.example/",
                "autoBookDuration": 30, "endings": [{"id": "e", "title": "Done", "heading": "Hi {name}",
                "message": "{q5|nothing} {q3}", "kind": "calendar", "calendarSlug": "s", "calendarProvider": "builtin",
                "metaEvent": {"name": "Lead"}}]},
        });
        let answers = json!({"q1": "Ann", "q2": "ann@example.org", "q3": "112", "q4": "Tired", "zz": 1});
        let question = |id: &str, label: &str, kind: &str, text: Value| {
            let options = if kind == "dropdown" { json!([{"id": "x", "label": "10"}]) } else { json!([]) };
            json!({"id": id, "label": label, "type": kind, "required": false, "options": options, "text": text})
        };
        assert_eq!(
            walked(&form, answers),
            json!({
                "locale": null,
                "texts": {"next": "Next", "back": "Back", "submit": "Send", "choose": "Please choose",
                    "check": "Please check your answers:", "required": "required", "yes": "Yes", "no": "No"},
                "path": ["a"],
                "steps": [{
                    "page": "a",
                    "title": "You",
                    "progress": 0.0,
                    "questions": [
                        question("q1", "Name?", "short_text", json!("Ann")),
                        question("q2", "Ann, mail?", "email", json!("ann@example.org")),
                        question("q3", "Phone?", "phone", json!("112")),
                        question("q4", "-, why?", "short_text", json!("Tired")),
                        question("q5", "Age?", "dropdown", Value::Null),
                    ],
                    "uncertain": false,
                    "notices": [{"rule": "r", "at": 0, "kind": "missing_target"}],
                }],
                "uncertain": false,
                "score": 0,
                "progress": 1.0,
                "pruned": {"q1": "Ann", "q2": "ann@example.org", "q3": "112", "q4": "Tired"},
                "verifications": [
                    {"check": "email", "question": "q2", "text": "ann@example.org"},
                    {"check": "phone", "question": "q3", "text": "112"},
                ],
                "outcome": "finished",
                "problems": [],
                "again": null,
                "ending": {
                    "id": "e",
                    "title": "Done",
                    "heading": "Hi Ann",
                    "message": "nothing 112",
                    "creates_lead": true,
                    "meta_event": "Lead",
                    "calendar": {"slug": "s", "provider": "builtin", "duration": 30},
                    "redirect": "https://x.example/",
                },
                "lead": {"client_id": "c1", "name": "Ann", "email": "ann@example.org", "source": "Form: Care",
                    "notes": "Phone?: 112\n, why?: Tired"},
                "no_lead": null,
                "named_by": "name",
                "attributes": [
                    {"key": null, "question": "q3", "label": "Phone?", "text": "112", "answer": "112"},
                    {"key": "reason", "question": "q4", "label": ", why?", "text": "Tired", "answer": "Tired"},
                    {"key": "$score", "question": "$score", "label": "Score", "text": "0", "answer": 0},
                ],
            })
        );
    }

    #[test]
    fn a_walk_without_a_lead_has_a_reason() {
        let page = |id: &str, fields: Value| json!({"id": id, "fields": fields});
        let jump = |to: &str| {
            json!({"rules": [{"name": "__fallback__", "fromPageId": "a",
            "then": {"kind": "jump", "target": to}}]})
        };
        let question = json!([{"id": "q", "type": "number", "required": true}]);
        let endings = json!({"endings": [{"id": "e", "createsLead": false}]});
        let client = json!({"client_id": "c1", "pages": [page("a", json!([]))]});
        let awaiting = json!({"question": "q", "problem": "missing", "message": "needs an answer"});
        for (form, outcome, reason, problems, again) in [
            (json!({}), "empty", "not_finished", json!([]), Value::Null),
            (json!({"pages": [page("a", question)]}), "awaiting", "not_finished", json!([awaiting]), Value::Null),
            (
                json!({"pages": [page("a", json!([]))], "logic": jump("a")}),
                "endless",
                "not_finished",
                json!([]),
                json!("a"),
            ),
            (
                json!({"pages": [page("a", json!([]))], "settings": endings}),
                "finished",
                "not_wanted",
                json!([]),
                Value::Null,
            ),
            (json!({"pages": [page("a", json!([]))]}), "finished", "no_client", json!([]), Value::Null),
            (client, "finished", "no_name", json!([]), Value::Null),
        ] {
            let walk = walked(&form, json!({}));
            assert_eq!((&walk["outcome"], &walk["no_lead"]), (&json!(outcome), &json!(reason)));
            assert_eq!((&walk["problems"], &walk["again"]), (&problems, &again), "{outcome}");
            assert_eq!(walk["ending"].is_null(), outcome != "finished", "{outcome}");
            assert_eq!(
                (&walk["lead"], &walk["named_by"], &walk["attributes"]),
                (&Value::Null, &Value::Null, &json!([]))
            );
        }
    }

    #[test]
    fn an_unknown_operator_makes_the_walk_uncertain() {
        let rule = json!({"fromPageId": "a", "then": {"kind": "jump", "target": "b"},
            "groups": [{"conds": [{"fieldId": "q", "op": "sounds_like", "value": 1}]}]});
        let form =
            json!({"pages": [{"id": "a", "fields": [{"id": "q"}]}, {"id": "b"}], "logic": {"rules": [rule, rule]}});
        let walk = walked(&form, json!({}));
        assert_eq!(walk["uncertain"], true);
        assert_eq!((&walk["steps"][0]["uncertain"], &walk["steps"][1]["uncertain"]), (&json!(true), &json!(false)));
        let skipped = |at: usize| json!({"rule": null, "at": at, "kind": "uncertain_conditions"});
        assert_eq!(walk["steps"][0]["notices"], json!([skipped(0), skipped(1)]));
        assert_eq!(walk["steps"][1]["notices"], json!([]));
    }
}
