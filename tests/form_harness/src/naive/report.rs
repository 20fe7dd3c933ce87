//! Reports a walk in the format of the test vectors.

use serde_json::{Map, Value, json};

use super::{
    super::FALLBACK,
    Naive,
    kinds::kind,
    texts::{html, url, web},
    values::{text_of, whole_or_none, written},
};

impl Naive<'_> {
    /// Returns the full report of a walk with these answers.
    pub fn report(&self, answers: &Value) -> Value {
        let walk = self.walk(answers);
        let mut report = Map::new();
        let mut say = |key: &str, value: Value| report.insert(key.to_owned(), value);
        say("path", walk.path.iter().map(|page| self.pages[*page].id).collect());
        say("outcome", walk.outcome.into());
        say("uncertain", walk.uncertain.clone().into());
        say("notices", walk.skipped_rules.clone().into());
        let steps: Vec<f64> = (1..=walk.path.len()).map(|count| self.progress(&walk.path[..count])).collect();
        let progress = if walk.outcome == "finished" { 1.0 } else { steps.last().copied().unwrap_or(0.0) };
        say("progress", progress.into());
        say("steps", steps.into());
        let mut labels = Map::new();
        let mut pruned = vec![];
        let mut verify = vec![];
        let settings = &self.version["settings"];
        for (step, page) in walk.path.iter().enumerate() {
            for (id, question) in &self.pages[*page].questions {
                let label = self.said(&question["label"]).unwrap_or_default();
                let label = self.fill(&label, &walk.path[..=step], answers, FALLBACK, str::to_owned);
                labels.insert((*id).to_owned(), label.into());
                if answers.get(id).is_some() {
                    pruned.push((*id).to_owned());
                }
                let Some(answer) = self.visible(id, &walk.path, answers) else { continue };
                for (wanted, setting) in [("email", "verifyEmail"), ("phone", "verifyPhone")] {
                    if kind(question) == wanted && settings[setting] == json!(true) {
                        verify.push(json!([wanted, id, written(answer)]));
                    }
                }
            }
        }
        pruned.sort();
        say("score", self.score(&walk.path, answers).into());
        say("labels", labels.into());
        say("pruned", pruned.into());
        say("verify", verify.into());
        match walk.outcome {
            "awaiting" => {
                let problems = walk.problems.iter().map(|(id, problem)| (id.clone(), json!(problem)));
                say("problems", Value::Object(problems.collect()));
            }
            "endless" => {
                say("again", json!(self.pages[walk.again.unwrap()].id));
            }
            "finished" => {
                let endings = self.endings();
                let (id, ending) = walk.ending.map_or((None, &Value::Null), |at| endings[at]);
                say("ending", json!(id));
                let message =
                    if walk.ending.is_some() { &ending["message"] } else { &self.version["confirmation_message"] };
                let message = self.said(message).unwrap_or_default();
                let fill = |escape| self.fill(&message, &walk.path, answers, FALLBACK, escape);
                say("message", fill(str::to_owned).into());
                say("message_html", fill(html).into());
                say("message_url", fill(url).into());
                say(
                    "meta_event",
                    json!(ending["metaEvent"]["name"].as_str().filter(|_| ending["metaEvent"].is_object())),
                );
                let calendar = ending["kind"] == "calendar";
                let default = text_of(&settings["defaultBookingSlug"])
                    .or_else(|| text_of(&self.form["settings"]["defaultBookingSlug"]));
                say(
                    "calendar",
                    if calendar {
                        json!({
                            "slug": text_of(&ending["calendarSlug"]).or(default),
                            "provider": ending["calendarProvider"].as_str(),
                            "duration": whole_or_none(&settings["autoBookDuration"]),
                        })
                    } else {
                        Value::Null
                    },
                );
                let redirect = |url: &Value| {
                    let url = url.as_str()?.trim();
                    let sample = self.fill(url, &walk.path, answers, "", |_| "%".to_owned());
                    // Answers begin where the sample differs from the URL, and must not be in the host.
                    let same = url.chars().zip(sample.chars()).take_while(|(one, other)| one == other).count();
                    let fixed: String = url.chars().take(same).collect();
                    let path = fixed.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?', '#']));
                    let filled = self.fill(url, &walk.path, answers, "", super::texts::url);
                    if sample != url && !path { None } else { web(&json!(filled)).map(str::to_owned) }
                };
                let booked = if calendar { redirect(&ending["postBookingRedirectUrl"]) } else { None };
                say("redirect", json!(booked.or_else(|| redirect(&settings["redirectUrl"]))));
            }
            _ => {}
        }
        match self.lead(&walk, answers) {
            Err(reason) => {
                say("no_lead", reason.into());
            }
            Ok((lead, name_source, attributes)) => {
                say("lead", lead);
                say("named_by", name_source.into());
                say("attributes", attributes.into());
            }
        }
        Value::Object(report)
    }
}
