//! Walks forms with the naive interpreter, for all combinations of answers that could affect the walk.

use std::collections::{BTreeMap, BTreeSet};

use leadapi_form::Verdict;
use leadapi_form_harness::{Naive, Walk};
use serde_json::{Value, json};

/// The maximum number of combinations of answers. Forms with more combinations are skipped.
const MOST: usize = 3_000;

/// The maximum number of parts of a text for which all combinations are tried.
const MOST_PARTS: usize = 3;

/// The facts collected from all walks.
#[derive(Default)]
pub(super) struct Seen {
    /// Facts from walks on which every rule can be evaluated.
    pub(super) certain: Facts,
    /// Facts from walks under every assumption about which of the rules that cannot be evaluated match.
    possible: Facts,
    /// The paths taken if rules that cannot be evaluated count as not matching. The value is true if at least one walk
    /// along the path met no such rule.
    pub(super) paths: BTreeMap<(Vec<usize>, String), bool>,
    pub(super) undecided: BTreeSet<usize>,
    /// Whether a rule on a path may have an unknown action.
    anywhere: bool,
}

#[derive(Default)]
pub(super) struct Facts {
    pub(super) pages: BTreeSet<usize>,
    pub(super) endings: BTreeSet<usize>,
    pub(super) endless: bool,
    pub(super) nameless: bool,
    pub(super) contactless: bool,
}

impl Seen {
    /// Returns the pages that some walk may reach.
    pub(super) fn pages(&self) -> &BTreeSet<usize> {
        &self.possible.pages
    }

    /// Returns the endings that some walk may reach.
    pub(super) fn endings(&self) -> &BTreeSet<usize> {
        &self.possible.endings
    }

    /// Walks with these answers once for every subset of the rules that cannot be evaluated, as if exactly this subset
    /// matched.
    fn walk(&mut self, naive: &Naive<'_>, answers: &Value) {
        let mut choices = vec![Vec::new()];
        while let Some(matching) = choices.pop() {
            let walk = naive.walk_if(answers, &matching);
            let certain = walk.undecided.is_empty();
            self.undecided.extend(&walk.undecided);
            self.anywhere |= walk.anywhere;
            // Rules are added in the order of the walk, so each subset occurs exactly once.
            let last = matching.last().and_then(|last| walk.open.iter().position(|at| at == last));
            for at in walk.open.iter().skip(last.map_or(0, |last| last + 1)) {
                choices.push(matching.iter().chain([at]).copied().collect());
            }
            if matching.is_empty() {
                let end = match walk.outcome {
                    "endless" => Some(format!("back to {:?}", walk.again.unwrap())),
                    "finished" => Some(format!("{:?}", walk.ending)),
                    _ => None,
                };
                if let Some(end) = end {
                    *self.paths.entry((walk.path.clone(), end)).or_default() |= certain;
                }
            }
            let lead = naive.lead(&walk, answers);
            self.possible.add(&walk, &lead);
            if certain {
                self.certain.add(&walk, &lead);
            }
            self.certain.pages.extend(walk.path.iter().take(walk.certain_pages));
        }
    }
}

impl Facts {
    fn add(&mut self, walk: &Walk, lead: &Result<(Value, &'static str, Vec<Value>), &'static str>) {
        self.pages.extend(&walk.path);
        self.endings.extend(walk.ending);
        self.endless |= walk.outcome == "endless";
        match lead {
            Ok((lead, ..)) => self.contactless |= lead.get("email").is_none() && lead.get("phone").is_none(),
            Err("no_name") => {
                self.nameless = true;
                self.contactless = true;
            }
            Err(_) => {}
        }
    }
}

/// Returns candidate answers to a question: at least one from every class of answers that the form's conditions or the
/// lead's fields can distinguish. Derives them without the engine, from each constant of the form, the neighbors of
/// each number, and some fixed values.
fn candidates(question: &Value, constants: &[Value], parts: &BTreeSet<String>) -> Vec<Value> {
    let mut all = vec![Value::Null];
    let options: Vec<Value> =
        question["options"].as_array().unwrap().iter().map(|option| option["id"].clone()).collect();
    let subset = |subset: u32| -> Value {
        options.iter().enumerate().filter(|(at, _)| subset & (1 << at) != 0).map(|(_, id)| id.clone()).collect()
    };
    let subsets = (1..1_u32 << options.len()).map(subset);
    match question["type"].as_str().unwrap() {
        "single_choice" | "dropdown" => all.extend(options),
        "multi_choice" | "multipleChoiceMulti" => all.extend(subsets),
        "checkbox" | "consent" | "yes_no" => {
            all.extend([json!(true), json!(false)]);
            // A checkbox with options is a multiple choice. The scores of several options add up.
            all.extend(subsets);
        }
        "date" => {
            // Tries all days of the month of each date, because conditions can distinguish the days before and after
            // the date.
            let fixed = json!("2026-05-31");
            let dates = constants.iter().chain([&question["min"], &question["max"], &fixed]);
            for date in dates.filter_map(Value::as_str).map(str::trim) {
                let near = (1..31).map(|day| format!("{}-{day:02}", date.get(..7).unwrap_or("2026-05")));
                all.extend(near.chain([date.to_owned()]).map(Value::from));
            }
        }
        "file" => all.extend([json!("https://a.b/c")]),
        "number" | "rating" | "NPS" => {
            let whole = (-1..12).map(Value::from).collect::<Vec<_>>();
            let whole = whole.iter().filter(|_| question["type"] != "number");
            let limits = [&question["min"], &question["max"], &json!(1)];
            let numbers = numbers(constants.iter().chain(limits).chain(whole));
            if question["mappedKey"] == "phone" {
                // A number with too many characters is not a valid phone number.
                let long = numbers.iter().filter_map(Value::as_f64).map(|number| {
                    let sign = if number < 0.0 { "-" } else { "" };
                    format!("{sign}{:0>60}{}", "", number.abs())
                });
                all.extend(long.map(Value::from));
            }
            all.extend(numbers);
        }
        kind => {
            all.extend(constants.iter().filter_map(word).map(Value::from));
            all.extend(texts(parts).into_iter().map(Value::from));
            all.extend([json!("zz"), json!("ann@example.com"), json!("202 555 0101"), json!("https://z.zz")]);
            if kind == "matrix" || kind == "hidden" {
                all.extend(constants.iter().filter(|value| value.is_number()).cloned());
                all.extend(constants.iter().filter_map(|value| serde_json::from_str(value.as_str()?.trim()).ok()));
                all.extend(numbers(constants.iter()));
                all.extend([json!(true), json!(false), json!([1]), json!(-1000), json!(1000.5)]);
            }
        }
    }
    all.sort_by_key(Value::to_string);
    all.dedup();
    all
}

/// Returns a scalar value as text.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns strings that start with, contain and end with the words, in all combinations.
fn texts(words: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ends = || words.iter().copied().chain([""]);
    let mut texts = Vec::new();
    for start in ends() {
        for end in ends() {
            for subset in 0..1 << words.len() {
                let parts = words.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1).map(|(_, word)| *word);
                let parts = parts.collect::<Vec<_>>();
                for (separator, tail) in [("~", ""), ("~ ~", ""), ("~", "@~.~"), ("~", "000"), ("~", &"~".repeat(60))] {
                    texts.push(format!("{start}{separator}{}{separator}{end}{tail}", parts.join(separator)));
                    texts.push(format!("{start}{separator}{}{tail}{separator}{end}", parts.join(separator)));
                    texts.push(format!("https://~.~/{separator}{}{tail}{separator}{end}", parts.join(separator)));
                }
            }
        }
    }
    texts
}

/// Returns the numbers among the values, and the nearest representable neighbors of each.
fn numbers<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let numbers = values.filter_map(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
    let finite = numbers.filter(|number: &f64| number.is_finite());
    finite.flat_map(|number| [number.next_down(), number, number.next_up()]).map(Value::from).collect()
}

pub(super) fn version(record: &Value) -> &Value {
    let snapshot = &record["form"]["live_snapshot"];
    if snapshot.as_object().is_some_and(|snapshot| !snapshot.is_empty()) { snapshot } else { &record["form"] }
}

/// Walks the form with all combinations of answers. Returns `None` if there are more than [`MOST`].
pub(super) fn brute_force(value: &Value) -> Option<Seen> {
    let version = version(value);
    let naive = Naive::new(value, false);
    let mut constants: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    // For each question, the texts that conditions compare with the start, the end or a part of the answer.
    let mut parts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for rule in version["logic"]["rules"].as_array().unwrap() {
        for group in rule["groups"].as_array().unwrap() {
            for condition in group["conds"].as_array().unwrap() {
                let question = condition["fieldId"].as_str().unwrap();
                let values = match &condition["value"] {
                    Value::Array(values) => values.clone(),
                    value => vec![value.clone()],
                };
                let op = condition["op"].as_str().unwrap();
                if op.contains("contains") || op.ends_with("s_with") {
                    parts.entry(question).or_default().extend(values.iter().filter_map(word));
                }
                constants.entry(question).or_default().extend(values);
            }
        }
    }
    let pages = version["pages"].as_array().unwrap().iter().map(|page| &page["fields"]);
    let fields = pages.chain([&value["form"]["fields"]]).filter_map(Value::as_array).flatten();
    let mut questions = Vec::new();
    let mut combinations = 1;
    for question in fields {
        let id = question["id"].as_str().unwrap();
        let none = Vec::new();
        let no_parts = BTreeSet::new();
        let parts = parts.get(id).unwrap_or(&no_parts);
        if parts.len() > MOST_PARTS {
            return None;
        }
        let mut views = BTreeMap::new();
        for candidate in candidates(question, constants.get(id).unwrap_or(&none), parts) {
            // An invalid answer only stops the walk, so it is left out. Null is always kept, so that each question is
            // also tried without an answer.
            let view = naive.view(id, &candidate).or_else(|| candidate.is_null().then(String::new));
            if let Some(view) = view {
                views.entry(view).or_insert(candidate);
            }
        }
        let candidates: Vec<Value> = views.into_values().collect();
        combinations *= candidates.len();
        if combinations > MOST {
            return None;
        }
        questions.push((id, candidates));
    }
    let mut seen = Seen::default();
    for mut number in 0..combinations {
        let mut answers = serde_json::Map::new();
        for (id, candidates) in &questions {
            answers.insert((*id).to_owned(), candidates[number % candidates.len()].clone());
            number /= candidates.len();
        }
        let answers = Value::Object(answers);
        seen.walk(&naive, &answers);
    }
    Some(seen)
}

pub(super) fn missing(count: usize, seen: &Seen, of: impl Fn(&Facts) -> &BTreeSet<usize>) -> Verdict<Vec<usize>> {
    let missing: Vec<usize> = (0..count).filter(|index| !of(&seen.certain).contains(index)).collect();
    if missing.is_empty() {
        return Verdict::Proved;
    }
    let possible = |index: &usize| seen.anywhere || of(&seen.possible).contains(index);
    let sure: Vec<usize> = missing.into_iter().filter(|index| !possible(index)).collect();
    if sure.is_empty() { Verdict::Unknown } else { Verdict::Refuted(sure) }
}

/// Returns the expected verdict: `Some(true)` if refuted, `Some(false)` if proved, `None` if unknown.
pub(super) fn refuted(seen: &Seen, of: impl Fn(&Facts) -> bool) -> Option<bool> {
    if of(&seen.certain) {
        Some(true)
    } else if of(&seen.possible) || seen.anywhere {
        None
    } else {
        Some(false)
    }
}
