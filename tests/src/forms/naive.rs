//! Form walks as the text says them, with the plainest code there is: raw JSON, no types, no indexes, nothing of
//! the engine. It is slow, and it is the second opinion.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const FALLBACK: &str = super::FALLBACK;

/// A form to walk.
#[derive(Debug)]
pub struct Naive<'v> {
    form: &'v Value,
    /// The snapshot or the draft.
    version: &'v Value,
    pages: Vec<Page<'v>>,
}

#[derive(Debug)]
struct Page<'v> {
    id: Option<&'v str>,
    questions: Vec<(&'v str, &'v Value)>,
}

/// Where a walk has come to.
#[derive(Debug)]
pub struct Walk {
    /// The pages, by their place.
    pub path: Vec<usize>,
    /// `empty`, `awaiting`, `endless` or `finished`.
    pub outcome: &'static str,
    /// The ending that was reached, by its place; none for the built-in one.
    pub ending: Option<usize>,
    again: Option<usize>,
    problems: Vec<(String, &'static str)>,
    uncertain: Vec<usize>,
    notices: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kleene {
    Yes,
    No,
    Maybe,
}

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !blank(text))
}

fn objects(value: &Value) -> Vec<(usize, &Value)> {
    let Some(array) = value.as_array() else { return vec![] };
    array.iter().enumerate().filter(|(_, element)| element.is_object()).collect()
}

impl<'v> Naive<'v> {
    /// The live version of a record, or the draft.
    pub fn new(record: &'v Value, draft: bool) -> Self {
        let form = &record["form"];
        let snapshot = &form["live_snapshot"];
        let version = if !draft && snapshot.is_object() { snapshot } else { form };
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
        Self { form, version, pages }
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
        endings
            .into_iter()
            .map(|(_, ending)| (text_of(&ending["id"]).filter(|id| known.insert(*id)), ending))
            .collect()
    }

    // Answers.

    fn problem(question: &Value, answer: &Value) -> Option<&'static str> {
        if !filled(answer) {
            return (question["required"] == json!(true)).then_some("missing");
        }
        match question["type"].as_str() {
            Some("single_choice") => {
                let chosen = answer.as_str();
                let exists = options(question).iter().any(|(id, _)| Some(*id) == chosen);
                (!exists).then_some("no_such_option")
            }
            Some("number") => {
                if let Some(text) = answer.as_str() {
                    if text.contains(',') {
                        return Some("number_with_comma");
                    }
                    if !looks_decimal(text.trim()) {
                        return Some("not_a_number");
                    }
                } else if !answer.is_number() {
                    return Some("not_a_number");
                }
                let Some(number) = number_of(answer) else { return Some("not_finite") };
                let min = question["min"].as_f64();
                (min.is_some() && number < min.unwrap()).then_some("below_min")
            }
            Some("short_text") if !answer.is_string() => Some("not_a_text"),
            Some("email") if !answer.is_string() => Some("not_a_text"),
            Some("phone") if !answer.is_string() => Some("not_a_text"),
            Some("email") if !is_email(answer.as_str().unwrap()) => Some("not_an_email"),
            Some("phone") if !is_phone(answer.as_str().unwrap()) => Some("not_a_phone"),
            _ => None,
        }
    }

    /// The answer to a question, if the question was asked on one of these pages and the answer is good.
    fn visible<'a>(&self, id: &str, pages: &[usize], answers: &'a Value) -> Option<&'a Value> {
        let (page, question) = self.question(id)?;
        if !pages.contains(&page) {
            return None;
        }
        let answer = &answers[id];
        (filled(answer) && Self::problem(question, answer).is_none()).then_some(answer)
    }

    fn shown(question: &Value, answer: &Value) -> String {
        if question["type"] == "single_choice" {
            let id = answer.as_str().unwrap();
            let (_, option) = options(question).into_iter().find(|(known, _)| *known == id).unwrap();
            return text_of(&option["label"]).map_or(id, str::trim).to_owned();
        }
        written(answer)
    }

    // Conditions.

    fn condition(&self, condition: &Value, pages: &[usize], answers: &Value) -> Kleene {
        let op = condition["op"].as_str().unwrap_or("");
        if !condition.is_object() || !["equals", "gt", "is_filled"].contains(&op) {
            return Kleene::Maybe;
        }
        let Some(id) = text_of(&condition["fieldId"]) else { return Kleene::No };
        let Some(answer) = self.visible(id, pages, answers) else { return Kleene::No };
        let (_, question) = self.question(id).unwrap();
        let value = &condition["value"];
        let kind = question["type"].as_str().unwrap_or("");
        let holds = match op {
            "is_filled" => true,
            "equals" if kind == "single_choice" => value.is_string() && value == answer,
            "equals" if kind == "number" => match (number_of(answer), number_of(value)) {
                (Some(answer), Some(value)) => answer == value,
                _ => false,
            },
            "equals" => {
                let simple = value.is_string() || value.is_number();
                simple && !answer.is_array() && !answer.is_object() && written(answer) == written(value)
            }
            _ => {
                let numeric = kind == "number" || (!known_kind(kind) && answer.is_number());
                match (number_of(answer), number_of(value)) {
                    (Some(answer), Some(value)) => numeric && answer > value,
                    _ => false,
                }
            }
        };
        if holds { Kleene::Yes } else { Kleene::No }
    }

    fn group(&self, group: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        if !group.is_object() {
            return Some(Kleene::Maybe);
        }
        let conds = &group["conds"];
        if conds.is_null() {
            return None;
        }
        let Some(conds) = conds.as_array() else { return Some(Kleene::Maybe) };
        if conds.is_empty() {
            return None;
        }
        let all = conds.iter().map(|cond| self.condition(cond, pages, answers)).collect::<Vec<_>>();
        Some(join(&group["op"], &all))
    }

    /// Nothing for a rule without conditions.
    fn conditions(&self, rule: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        let groups = &rule["groups"];
        if groups.is_null() {
            return None;
        }
        let Some(groups) = groups.as_array() else { return Some(join(&rule["outerOp"], &[Kleene::Maybe])) };
        let all = groups.iter().filter_map(|group| self.group(group, pages, answers)).collect::<Vec<_>>();
        if all.is_empty() { None } else { Some(join(&rule["outerOp"], &all)) }
    }

    // Routing.

    /// The rules of a page, in the order in which they are tried.
    fn rules(&self, page: usize) -> Vec<(usize, &'v Value)> {
        let Some(id) = self.pages[page].id else { return vec![] };
        let mut rules = vec![];
        for fallbacks in [false, true] {
            for (at, rule) in objects(&self.version["logic"]["rules"]) {
                if rule["fromPageId"] == id && (rule["name"] == "__fallback__") == fallbacks {
                    rules.push((at, rule));
                }
            }
        }
        rules
    }

    /// A page, or an ending.
    fn target(&self, rule: &Value) -> Option<Result<usize, usize>> {
        let target = text_of(&rule["then"]["target"])?;
        if let Some(id) = target.strip_prefix("end:") {
            if blank(id) {
                return None;
            }
            return self.endings().iter().position(|(known, _)| *known == Some(id)).map(Err);
        }
        self.pages.iter().position(|page| page.id == Some(target)).map(Ok)
    }

    fn after(&self, page: usize) -> Result<usize, Option<usize>> {
        if page + 1 < self.pages.len() {
            return Ok(page + 1);
        }
        Err(if self.endings().is_empty() { None } else { Some(0) })
    }

    /// Walks the form.
    pub fn walk(&self, answers: &Value) -> Walk {
        let mut walk = Walk {
            path: vec![],
            outcome: "empty",
            ending: None,
            again: None,
            problems: vec![],
            uncertain: vec![],
            notices: vec![],
        };
        if self.pages.is_empty() {
            return walk;
        }
        let mut page = 0;
        loop {
            if walk.path.contains(&page) {
                walk.outcome = "endless";
                walk.again = Some(page);
                return walk;
            }
            walk.path.push(page);
            for (id, question) in &self.pages[page].questions {
                if let Some(problem) = Self::problem(question, &answers[*id]) {
                    walk.problems.push(((*id).to_owned(), problem));
                }
            }
            if !walk.problems.is_empty() {
                walk.outcome = "awaiting";
                return walk;
            }
            let step = walk.path.len() - 1;
            let mut next = None;
            for (at, rule) in self.rules(page) {
                let fallback = rule["name"] == "__fallback__";
                let holds = match self.conditions(rule, &walk.path, answers) {
                    Some(holds) => holds,
                    None if fallback => Kleene::Yes,
                    None => Kleene::No,
                };
                let passed = match holds {
                    Kleene::No => continue,
                    Kleene::Maybe => "uncertain_conditions",
                    Kleene::Yes if rule["then"]["kind"] != "jump" => "unknown_jump",
                    Kleene::Yes => match self.target(rule) {
                        None => "missing_target",
                        Some(target) => {
                            next = Some(target.map_err(Some));
                            break;
                        }
                    },
                };
                walk.notices.push(json!([step, at, passed]));
                if passed != "missing_target" && !walk.uncertain.contains(&step) {
                    walk.uncertain.push(step);
                }
            }
            match next.unwrap_or_else(|| self.after(page)) {
                Ok(next) => page = next,
                Err(ending) => {
                    walk.outcome = "finished";
                    walk.ending = ending;
                    return walk;
                }
            }
        }
    }

    // Progress.

    fn leads_to(&self, page: usize) -> Vec<usize> {
        let mut pages = vec![];
        for (_, rule) in self.rules(page) {
            let fallback = rule["name"] == "__fallback__";
            let conditions = self.conditions(rule, &[], &Value::Null).is_some();
            if rule["then"]["kind"] != "jump" || !(conditions || fallback) {
                continue;
            }
            match self.target(rule) {
                None => continue,
                Some(Ok(next)) => pages.push(next),
                Some(Err(_)) => {}
            }
            if fallback && !conditions {
                return pages;
            }
        }
        pages.extend(self.after(page).ok());
        pages
    }

    fn comes_to(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            for next in self.leads_to(seen[at]) {
                if next == to {
                    return true;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        false
    }

    fn circle(&self, page: usize) -> Vec<usize> {
        let together = |other: &usize| *other == page || (self.comes_to(page, *other) && self.comes_to(*other, page));
        (0..self.pages.len()).filter(together).collect()
    }

    /// The longest way from a page on, all pages of its circle counted.
    fn longest(&self, page: usize) -> usize {
        let circle = self.circle(page);
        let mut beyond = 0;
        for member in &circle {
            for next in self.leads_to(*member) {
                if !circle.contains(&next) {
                    beyond = beyond.max(self.longest(next));
                }
            }
        }
        circle.len() + beyond
    }

    fn progress(&self, path: &[usize]) -> f64 {
        let (page, before) = path.split_last().unwrap();
        let circle = self.circle(*page);
        let behind = before.iter().filter(|page| circle.contains(page)).count();
        let ahead = self.longest(*page) - behind;
        before.len() as f64 / (before.len() + ahead) as f64
    }

    // Placeholders.

    fn said(&self, key: &str, pages: &[usize], answers: &Value) -> Option<String> {
        let mut said = None;
        for page in pages {
            for (id, question) in &self.pages[*page].questions {
                if question["mappedKey"] == key
                    && let Some(answer) = self.visible(id, pages, answers)
                {
                    said = Some(Self::shown(question, answer));
                }
            }
        }
        if said.is_none()
            && let Some(answer) = self.visible(key, pages, answers)
        {
            said = Some(Self::shown(self.question(key).unwrap().1, answer));
        }
        said
    }

    fn knows(&self, key: &str) -> bool {
        let mapped = |(_, question): &(&str, &Value)| question["mappedKey"] == key;
        self.question(key).is_some() || self.pages.iter().any(|page| page.questions.iter().any(mapped))
    }

    fn fill(&self, text: &str, pages: &[usize], answers: &Value, fallback: &str, escape: fn(&str) -> String) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut filled = String::new();
        let mut at = 0;
        while at < chars.len() {
            if chars[at] == '{'
                && let Some(length) = chars[at + 1..].iter().position(|c| *c == '{' || *c == '}')
                && chars[at + 1 + length] == '}'
            {
                let inner: String = chars[at + 1..at + 1 + length].iter().collect();
                let key = inner.trim();
                let breaks = inner.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
                if !key.is_empty() && key.chars().count() <= 64 && !breaks && self.knows(key) {
                    let said = self.said(key, pages, answers);
                    filled.push_str(&escape(&said.unwrap_or_else(|| fallback.to_owned())));
                    at += length + 2;
                    continue;
                }
            }
            filled.push(chars[at]);
            at += 1;
        }
        filled
    }

    // The report.

    /// What a walk comes to, as the vectors write it.
    pub fn report(&self, answers: &Value) -> Value {
        let walk = self.walk(answers);
        let mut report = Map::new();
        let mut say = |key: &str, value: Value| report.insert(key.to_owned(), value);
        say("path", walk.path.iter().map(|page| self.pages[*page].id).collect());
        say("outcome", walk.outcome.into());
        say("uncertain", walk.uncertain.clone().into());
        say("notices", walk.notices.clone().into());
        let steps: Vec<f64> = (1..=walk.path.len()).map(|count| self.progress(&walk.path[..count])).collect();
        let progress = if walk.outcome == "finished" { 1.0 } else { steps.last().copied().unwrap_or(0.0) };
        say("progress", progress.into());
        say("steps", steps.into());
        let mut score: i64 = 0;
        let mut labels = Map::new();
        let mut pruned = vec![];
        let mut verify = vec![];
        let settings = &self.version["settings"];
        for (step, page) in walk.path.iter().enumerate() {
            for (id, question) in &self.pages[*page].questions {
                let label = question["label"].as_str().unwrap_or("");
                let label = self.fill(label, &walk.path[..=step], answers, FALLBACK, str::to_owned);
                labels.insert((*id).to_owned(), label.into());
                if answers.get(id).is_some() {
                    pruned.push((*id).to_owned());
                }
                let Some(answer) = self.visible(id, &walk.path, answers) else { continue };
                let option = options(question).into_iter().find(|(known, _)| answer == known);
                if question["type"] == "single_choice" {
                    score += whole(&option.unwrap().1["score"]);
                }
                for (kind, wish) in [("email", "verifyEmail"), ("phone", "verifyPhone")] {
                    if question["type"] == kind && settings[wish] == json!(true) {
                        verify.push(json!([kind, id, written(answer)]));
                    }
                }
            }
        }
        pruned.sort();
        say("score", score.into());
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
                let message = if walk.ending.is_some() { &ending["message"] } else { &self.version["confirmation_message"] };
                let message = message.as_str().unwrap_or("");
                let fill = |escape| self.fill(message, &walk.path, answers, FALLBACK, escape);
                say("message", fill(str::to_owned).into());
                say("message_html", fill(html).into());
                say("message_url", fill(url).into());
                say("meta_event", json!(ending["metaEvent"]["name"].as_str().filter(|_| ending["metaEvent"].is_object())));
                let calendar = ending["kind"] == "calendar";
                let default = text_of(&settings["defaultBookingSlug"])
                    .or_else(|| text_of(&self.form["settings"]["defaultBookingSlug"]));
                say("calendar", if calendar { json!({
                    "slug": text_of(&ending["calendarSlug"]).or(default),
                    "provider": ending["calendarProvider"].as_str(),
                    "duration": whole_or_none(&settings["autoBookDuration"]),
                }) } else { Value::Null });
                let booked = if calendar { web(&ending["postBookingRedirectUrl"]) } else { None };
                say("redirect", json!(booked.or_else(|| web(&settings["redirectUrl"]))));
            }
            _ => {}
        }
        match self.lead(&walk, answers) {
            Err(reason) => {
                say("no_lead", reason.into());
            }
            Ok((lead, named_by, attributes)) => {
                say("lead", lead);
                say("named_by", named_by.into());
                say("attributes", attributes.into());
            }
        }
        Value::Object(report)
    }

    // The lead.

    /// The lead of a walk, what it is named after, and its attributes; or why there is none.
    pub fn lead(&self, walk: &Walk, answers: &Value) -> Result<(Value, &'static str, Vec<Value>), &'static str> {
        if walk.outcome != "finished" {
            return Err("not_finished");
        }
        if let Some(at) = walk.ending
            && self.endings()[at].1["createsLead"] == json!(false)
        {
            return Err("not_wanted");
        }
        let Some(client) = self.form["client_id"].as_str().filter(|id| is_id(id)) else { return Err("no_client") };

        // Every filled answer on the path: step, question, key, text.
        let mut filled = vec![];
        for (step, page) in walk.path.iter().enumerate() {
            for (id, question) in &self.pages[*page].questions {
                if let Some(answer) = self.visible(id, &walk.path, answers) {
                    let key = text_of(&question["mappedKey"]);
                    filled.push((step, *id, *question, key, Self::shown(question, answer)));
                }
            }
        }
        let first = |key: &str| filled.iter().position(|answer| answer.3 == Some(key));
        let mut taken: Vec<usize> = vec![];
        let mut lead = Map::new();
        lead.insert("client_id".into(), client.into());

        for field in ["email", "phone", "business_name"] {
            for (at, (_, _, question, key, text)) in filled.iter().enumerate() {
                let fits = match field {
                    "email" => question["type"] != "number" && is_email(text),
                    "phone" => question["type"] != "number" && is_phone(text),
                    _ => is_name(text),
                };
                if *key == Some(field) && fits {
                    lead.insert(field.into(), text.as_str().into());
                    taken.push(at);
                    break;
                }
            }
        }
        for (at, (_, _, question, key, text)) in filled.iter().enumerate() {
            if *key == Some("value")
                && question["type"] == "number"
                && let Some(value) = exact(text)
            {
                lead.insert("value".into(), value);
                taken.push(at);
                break;
            }
        }

        let fitting = filled.iter().position(|answer| answer.3 == Some("name") && is_name(&answer.4));
        let (name, named_by) = if let Some(at) = fitting.or(first("name")) {
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
        let mut attributes = vec![];
        for (at, (step, id, question, key, text)) in filled.iter().enumerate() {
            if taken.contains(&at) {
                continue;
            }
            let label = question["label"].as_str().unwrap_or("");
            let label = self.fill(label, &walk.path[..=*step], answers, "", str::to_owned);
            let mut line = shorten(&one_line(&label), 200);
            if line.is_empty() {
                line = one_line(key.unwrap_or(id));
            }
            notes.push(format!("{line}: {}", shorten(&one_line(text), 2000)));
            attributes.push(json!([key, id, label, text]));
        }
        if !notes.is_empty() {
            lead.insert("notes".into(), shorten(&notes.join("\n"), 10_000).into());
        }
        if let Some(name) = text_of(&self.form["name"]) {
            lead.insert("source".into(), shorten(&format!("Form: {}", one_line(name)), 100).into());
        }
        if let Some(pipeline) = text_of(&self.form["target_pipeline_id"])
            && is_id(pipeline.trim())
        {
            lead.insert("pipeline_id".into(), pipeline.trim().into());
        }
        Ok((Value::Object(lead), named_by, attributes))
    }
}

fn options(question: &Value) -> Vec<(&str, &Value)> {
    let mut known = BTreeSet::new();
    let mut options = vec![];
    for (_, option) in objects(&question["options"]) {
        if let Some(id) = text_of(&option["id"])
            && known.insert(id)
        {
            options.push((id, option));
        }
    }
    options
}

fn filled(answer: &Value) -> bool {
    match answer {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !blank(text),
        Value::Array(array) => !array.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

fn written(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

fn known_kind(kind: &str) -> bool {
    ["single_choice", "short_text", "email", "phone", "number"].contains(&kind)
}

/// A sign, digits with or without a point, an exponent.
fn looks_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| digits(exponent) && !exponent.is_empty())
}

fn number_of(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) if looks_decimal(text.trim()) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn whole_or_none(value: &Value) -> Option<i64> {
    let number = value.as_f64()?;
    value.as_i64().or_else(|| (number.fract() == 0.0 && number.abs() < 9e18).then_some(number as i64))
}

fn whole(value: &Value) -> i64 {
    whole_or_none(value).unwrap_or(0)
}

fn join(op: &Value, all: &[Kleene]) -> Kleene {
    let op = if op.is_null() { "AND" } else { op.as_str().unwrap_or("?") };
    let has = |kleene| all.contains(&kleene);
    match op {
        "AND" if has(Kleene::No) => Kleene::No,
        "AND" if has(Kleene::Maybe) => Kleene::Maybe,
        "AND" => Kleene::Yes,
        "OR" if has(Kleene::Yes) => Kleene::Yes,
        "OR" if has(Kleene::Maybe) => Kleene::Maybe,
        "OR" => Kleene::No,
        _ => Kleene::Maybe,
    }
}

/// Contract D4: at most 254 characters, one `@`, 1 to 64 before it, a dotted domain after it, no blanks.
fn is_email(text: &str) -> bool {
    let text = text.trim();
    let parts: Vec<&str> = text.split('@').collect();
    parts.len() == 2
        && (1..=64).contains(&parts[0].chars().count())
        && parts[1].contains('.')
        && parts[1].split('.').all(|label| !label.is_empty())
        && text.chars().count() <= 254
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Contract D4: at most 50 characters, at least three digits of any script, no control characters.
fn is_phone(text: &str) -> bool {
    let text = text.trim();
    // Of other scripts these are enough here: the Arabic, the Devanagari and the full-width digits.
    let digit = |c: &char| c.is_ascii_digit() || matches!(c, '\u{660}'..='\u{669}' | '\u{966}'..='\u{96f}' | '\u{ff10}'..='\u{ff19}');
    text.chars().count() <= 50 && text.chars().filter(digit).count() >= 3 && !text.chars().any(char::is_control)
}

/// Contract D4: 1 to 200 characters, no control characters.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// Contract D4: 1 to 64 visible ASCII characters.
fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic())
}

/// A number that a lead's value holds (contract D4): a whole number must be a double exactly.
fn exact(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    let plain = text.trim_start_matches(['+', '-']);
    if plain.chars().all(|c| c.is_ascii_digit()) {
        let digits = plain.trim_start_matches('0');
        let back = format!("{:.0}", number.abs());
        if !(digits == back || (digits.is_empty() && number == 0.0)) {
            return None;
        }
    }
    Some(json!(number))
}

fn one_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut line = String::new();
    let mut before = ' ';
    for c in text.trim().chars() {
        if breaks(c) {
            if !breaks(before) {
                line.push(' ');
            }
        } else if c.is_control() {
            line.push('\u{fffd}');
        } else {
            line.push(c);
        }
        before = c;
    }
    line
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).collect::<String>() + "…"
}

fn web(url: &Value) -> Option<&str> {
    let url = url.as_str()?.trim();
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://"))?;
    let host = rest.chars().next().is_some_and(|c| !"/?#\\".contains(c));
    (host && !url.chars().any(|c| c.is_whitespace() || c.is_control())).then_some(url)
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

fn url(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
