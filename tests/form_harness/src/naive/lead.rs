//! Builds the lead of a walk.

use serde_json::{Map, Value, json};

use super::{
    Naive, Walk,
    keys::written_key,
    kinds::{chosen, kind},
    languages::money,
    texts::{is_email, is_id, is_name, is_phone, one_line, shorten},
    values::{exact, options, text_of, whole},
};

impl Naive<'_> {
    /// Returns the lead that a walk creates, the source of its name, and its attributes, or the reason why the walk
    /// creates no lead.
    pub fn lead(&self, walk: &Walk, answers: &Value) -> Result<(Value, &'static str, Vec<Value>), &'static str> {
        if walk.outcome != "finished" {
            return Err("not_finished");
        }
        if let Some(at) = walk.ending
            && self.endings()[at].1["createsLead"] == json!(false)
        {
            return Err("not_wanted");
        }
        let client = self.form["client_id"].as_str().filter(|id| is_id(id)).ok_or("no_client")?;

        // The non-empty answers on the path: step, question id, question, key, text.
        let mut filled = vec![];
        for (step, page) in walk.path.iter().enumerate() {
            for (id, question) in &self.pages[*page].questions {
                if let Some(answer) = self.visible(id, &walk.path, answers) {
                    let key = self.key(question);
                    filled.push((step, *id, *question, key, self.display_text(question, answer)));
                }
            }
        }
        let first = |key: &str| filled.iter().position(|answer| self.fills(answer.2, key));
        let mut taken: Vec<usize> = vec![];
        let mut lead = Map::new();
        lead.insert("client_id".into(), client.into());

        for field in ["email", "phone", "business_name"] {
            for (at, (_, _, question, _, text)) in filled.iter().enumerate() {
                let fits = match field {
                    "email" => is_email(text),
                    "phone" => is_phone(text),
                    _ => is_name(text),
                };
                if self.fills(question, field) && fits {
                    lead.insert(field.into(), text.as_str().into());
                    taken.push(at);
                    break;
                }
            }
        }
        for (at, (_, id, question, key, _)) in filled.iter().enumerate() {
            if *key == Some("value")
                && let Some((value, is_all)) = self.worth(question, &answers[*id])
            {
                lead.insert("value".into(), value);
                taken.extend(is_all.then_some(at));
                break;
            }
        }

        let fitting = filled.iter().position(|answer| answer.3 == Some("name") && is_name(&answer.4));
        let (name, name_source) = if let Some(at) = fitting.or(first("name")) {
            if fitting.is_some() {
                taken.push(at);
            }
            (filled[at].4.clone(), "name")
        } else if first("first_name").is_some() || first("last_name").is_some() {
            let parts: Vec<usize> = [first("first_name"), first("last_name")].into_iter().flatten().collect();
            let name = parts.iter().map(|at| filled[*at].4.as_str()).collect::<Vec<_>>().join(" ");
            if is_name(&name) {
                taken.extend(parts);
            }
            (name, "first_and_last")
        } else {
            let mut found = None;
            for rung in ["business_name", "email", "phone"] {
                let text = lead.get(rung).and_then(Value::as_str).map(str::to_owned);
                let text = text.or_else(|| first(rung).map(|at| filled[at].4.clone()));
                if let Some(text) = text {
                    found = Some((text, rung));
                    break;
                }
            }
            found.ok_or("no_name")?
        };
        lead.insert("name".into(), shorten(&one_line(&name), 200).into());

        let mut notes = vec![];
        let score = self.score(&walk.path, answers).to_string();
        let has_score = self.has_scores() && !self.is_of_a_question("$score");
        if has_score && self.score_in_notes {
            notes.push(format!("Score: {score}"));
        }
        let mut attributes = vec![];
        for (at, (step, id, question, _, text)) in filled.iter().enumerate() {
            if taken.contains(&at) {
                continue;
            }
            let key = written_key(question);
            let label = self.said(&question["label"]).unwrap_or_default();
            let label = self.fill(&label, &walk.path[..=*step], answers, "", str::to_owned);
            let shown = shorten(&one_line(&label), 200);
            let title = if shown.is_empty() { one_line(key.unwrap_or(id)) } else { shown };
            notes.push(format!("{title}: {}", shorten(&one_line(text), 2000)));
            attributes.push(json!([key, id, label, text]));
        }
        if has_score {
            attributes.push(json!(["$score", "$score", "Score", score]));
        }
        if !notes.is_empty() {
            lead.insert("notes".into(), shorten(&notes.join("\n"), 10_000).into());
        }
        lead.extend(self.source());
        lead.extend(self.place(walk));
        Ok((Value::Object(lead), name_source, attributes))
    }

    /// Returns the fields that the form itself determines.
    fn source(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        if let Some(name) = self.said(&self.form["name"]).filter(|name| !name.trim().is_empty()) {
            fields.insert("source".into(), shorten(&format!("Form: {}", one_line(&name)), 100).into());
        }
        fields
    }

    /// Returns the pipeline and the stage of the last rule on the path that names one, of the ending, or of the form.
    fn place(&self, walk: &Walk) -> Map<String, Value> {
        let rules = &self.version["logic"]["rules"];
        let mut places: Vec<[&Value; 2]> = walk
            .taken
            .iter()
            .rev()
            .map(|at| &rules[*at]["then"])
            .map(|then| [&then["pipelineId"], &then["stageId"]])
            .collect();
        if let Some(at) = walk.ending {
            let ending = self.endings()[at].1;
            places.push([&ending["pipelineId"], &ending["stageId"]]);
        }
        places.push([&self.form["target_pipeline_id"], &Value::Null]);
        for place in places {
            let mut fields = Map::new();
            for (name, id) in ["pipeline_id", "stage_id"].into_iter().zip(place) {
                if let Some(id) = text_of(id).map(str::trim).filter(|id| is_id(id)) {
                    fields.insert(name.into(), id.into());
                }
            }
            if !fields.is_empty() {
                return fields;
            }
        }
        Map::new()
    }

    /// Returns the value that an answer gives to the lead, and whether the value says all that the answer says.
    fn worth(&self, question: &Value, answer: &Value) -> Option<(Value, bool)> {
        match kind(question) {
            "number" => Some((exact(&self.plain_number(question, answer).ok()?)?, true)),
            "single_choice" | "dropdown" | "multi_choice" => {
                // Adds millionths, because sums of doubles are inexact.
                let mut sum = None;
                for id in chosen(answer)? {
                    let (_, option) = options(question).into_iter().find(|(known, _)| *known == id)?;
                    if let Some(value) = option["value"].as_f64() {
                        sum = Some(sum.unwrap_or(0.0) + (value * 1e6).round());
                    }
                }
                Some(((sum? / 1e6).into(), false))
            }
            _ => None,
        }
    }

    /// Returns whether an option of any question has a score.
    fn has_scores(&self) -> bool {
        self.pages.iter().flat_map(|page| &page.questions).any(|(_, question)| {
            let is_choice = ["single_choice", "dropdown", "multi_choice"].contains(&kind(question));
            is_choice && options(question).iter().any(|(_, option)| whole(&option["score"]) != 0)
        })
    }

    /// Returns whether the answers to a question can fill this field of the lead.
    fn fills(&self, question: &Value, field: &str) -> bool {
        let is_amount = ["number", "rating"].contains(&kind(question)) && money(question).is_some();
        self.key(question) == Some(field) && !(field == "phone" && is_amount)
    }
}
