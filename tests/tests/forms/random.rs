//! Forms and answers at random, drawn from bytes, so that a case that fails is made shorter by making its bytes fewer.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Bytes to draw from; when they are used up, everything is the first of its kind.
pub(crate) struct Draw<'b>(pub &'b [u8]);

impl Draw<'_> {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % count
    }

    /// Once in so many times.
    fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    fn one<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }
}

const PAGES: [&str; 5] = ["p0", "p1", "p2", "p3", "p4"];
const QUESTIONS: [&str; 8] = ["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];
const ENDINGS: [&str; 3] = ["e0", "e1", "e2"];
const OPTIONS: [&str; 4] = ["a", "b", "5", "{q0}"];
const KEYS: [&str; 12] = [
    "name",
    "first_name",
    "last_name",
    "business_name",
    "email",
    "phone",
    "value",
    "client_id",
    "custom",
    "q0",
    "",
    "source",
];
const TEXTS: [&str; 26] = [
    "",
    "a",
    "b",
    "5",
    " 5 ",
    "05",
    "5.0",
    "-3",
    "1e1",
    "0x10",
    "1,5",
    "1e400",
    "7",
    "  ",
    "Ann",
    "ann@example.org",
    "a b@c.d",
    "+49 30 1234",
    "12",
    "x\ny: z",
    "{name}",
    "{q1}{",
    "\u{0}",
    "\u{2028}é",
    "9007199254740993",
    "<&\"'>",
];
const LABELS: [&str; 9] =
    ["", "Why?", "{name}", "{ q1 }, {custom}", "{{q0}}", "{zz} {", "a\nb {email}", "{phone}{value}", " "];

/// Any JSON where something else was meant.
fn wild(draw: &mut Draw<'_>) -> Value {
    match draw.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(7),
        3 => json!("wild"),
        4 => json!([]),
        5 => json!({}),
        6 => json!([1, {"id": "p0"}]),
        _ => json!({"id": "p0", "fields": 3}),
    }
}

/// A value as it should be, or once in a while another one, or none.
fn put(draw: &mut Draw<'_>, tame: bool, to: &mut Map<String, Value>, key: &str, value: Value) {
    let value = if !tame && draw.rarely(24) {
        if draw.below(2) == 0 {
            return;
        }
        wild(draw)
    } else {
        value
    };
    to.insert(key.to_owned(), value);
}

fn list(draw: &mut Draw<'_>, tame: bool, count: usize, make: impl Fn(&mut Draw<'_>, usize) -> Value) -> Value {
    (0..count).map(|at| if !tame && draw.rarely(32) { wild(draw) } else { make(draw, at) }).collect()
}

pub(crate) fn answer(draw: &mut Draw<'_>) -> Value {
    match draw.below(12) {
        0 => Value::Null,
        1 => json!(draw.below(12)),
        2 => json!(4.5),
        3 => json!(false),
        4 => json!([1]),
        5 => json!({}),
        6..8 => json!(draw.one(&OPTIONS)),
        8 => json!("ann@example.org"),
        9 => json!("202 555 0100"),
        _ => json!(draw.one(&TEXTS)),
    }
}

/// Answers to some of the questions of a record, most of them good.
pub(crate) fn answers(draw: &mut Draw<'_>, record: &Value) -> Value {
    let mut kinds = BTreeMap::new();
    question_types(record, &mut kinds);
    let mut answers = Map::new();
    for id in QUESTIONS {
        let good = match (kinds.get(id).copied(), draw.below(8)) {
            (_, 7) => continue,
            (_, 6) | (None, _) => answer(draw),
            (Some("single_choice"), _) => json!(OPTIONS[draw.below(3)]),
            (Some("number"), 5) => json!(draw.one(&["1,5", "5", "5.0", " 7 ", "1e400", "0x10", "+3", ".5"])),
            (Some("number"), _) => json!(draw.below(12)),
            (Some("email"), _) => json!("ann@example.org"),
            (Some("phone"), _) => json!("202 555 0100"),
            (Some("short_text"), _) => json!(draw.one(&TEXTS)),
            (Some(_), _) => answer(draw),
        };
        answers.insert(id.to_owned(), good);
    }
    if draw.rarely(4) {
        answers.insert("stale".to_owned(), answer(draw));
    }
    Value::Object(answers)
}

/// The types of the questions, wherever they stand.
fn question_types<'v>(value: &'v Value, kinds: &mut BTreeMap<&'v str, &'v str>) {
    if let (Some(id), Some(kind)) = (value["id"].as_str(), value["type"].as_str()) {
        kinds.entry(id).or_insert(kind);
    }
    match value {
        Value::Array(all) => all.iter().for_each(|value| question_types(value, kinds)),
        Value::Object(all) => all.values().for_each(|value| question_types(value, kinds)),
        _ => {}
    }
}

fn id(draw: &mut Draw<'_>, tame: bool, all: &[&str], at: usize) -> Value {
    // Once in a while one that is taken, or none.
    if !tame && draw.rarely(16) { json!(draw.one(&[all[0], "", " ", "zz"])) } else { json!(all[at]) }
}

fn question(draw: &mut Draw<'_>, tame: bool, at: usize) -> Value {
    let mut question = Map::new();
    let own = id(draw, tame, &QUESTIONS, at);
    put(draw, tame, &mut question, "id", own);
    let kind =
        draw.one(&["single_choice", "number", "short_text", "single_choice", "number", "email", "phone", "rating"]);
    put(draw, tame, &mut question, "type", kind.into());
    let label = draw.one(&LABELS);
    put(draw, tame, &mut question, "label", label.into());
    let required = draw.below(3) == 0;
    put(draw, tame, &mut question, "required", required.into());
    if draw.below(3) > 0 {
        let key = draw.one(&KEYS);
        put(draw, tame, &mut question, "mappedKey", key.into());
    }
    if draw.rarely(3) {
        let min = draw.below(8);
        put(draw, tame, &mut question, "min", min.into());
    }
    let count = draw.below(4);
    let options = list(draw, tame, count, |draw, at| {
        let mut option = Map::new();
        let own = id(draw, tame, &OPTIONS, at);
        put(draw, tame, &mut option, "id", own);
        let label = draw.one(&["A", "B {q0}", ""]);
        put(draw, tame, &mut option, "label", label.into());
        let score = [json!(5), json!(-2), json!(10.0), json!(2.5)][draw.below(4)].clone();
        put(draw, tame, &mut option, "score", score);
        Value::Object(option)
    });
    put(draw, tame, &mut question, "options", options);
    Value::Object(question)
}

fn condition(draw: &mut Draw<'_>, tame: bool, questions: usize) -> Value {
    let mut condition = Map::new();
    let field = if draw.rarely(16) { "zz" } else { QUESTIONS[draw.below(questions.max(1))] };
    put(draw, tame, &mut condition, "fieldId", field.into());
    let op = draw.one(&["equals", "is_filled", "gt", "equals", "gt", "between"]);
    put(draw, tame, &mut condition, "op", op.into());
    let value = match draw.below(4) {
        0..2 => json!(draw.below(9)),
        2 => json!(draw.one(&OPTIONS)),
        _ => json!(draw.one(&TEXTS)),
    };
    put(draw, tame, &mut condition, "value", value);
    Value::Object(condition)
}

fn rule(draw: &mut Draw<'_>, tame: bool, pages: usize, questions: usize) -> Value {
    let mut rule = Map::new();
    let fallback = draw.rarely(3);
    put(draw, tame, &mut rule, "name", if fallback { "__fallback__" } else { "r" }.into());
    let from = draw.below(pages.max(1));
    put(draw, tame, &mut rule, "fromPageId", PAGES[from].into());
    let to = draw.below(PAGES.len());
    let target = match draw.below(8) {
        0 => format!("end:{}", ENDINGS[draw.below(3)]),
        1 => "end:zz".to_owned(),
        2 => "zz".to_owned(),
        // More forwards than backwards, or hardly a walk would end.
        3..7 => PAGES[to.max(from + 1).min(PAGES.len() - 1)].to_owned(),
        _ => PAGES[to].to_owned(),
    };
    let kind = if draw.rarely(16) { "popup" } else { "jump" };
    put(draw, tame, &mut rule, "then", json!({"kind": kind, "target": target}));
    let count = if fallback && !draw.rarely(6) { 0 } else { draw.below(3) };
    let groups = list(draw, tame, count, |draw, _| {
        let mut group = Map::new();
        let op = draw.one(&["AND", "OR", "AND", "OR", "XOR"]);
        put(draw, tame, &mut group, "op", op.into());
        let count = draw.below(4);
        let conds = list(draw, tame, count, |draw, _| condition(draw, tame, questions));
        put(draw, tame, &mut group, "conds", conds);
        Value::Object(group)
    });
    put(draw, tame, &mut rule, "groups", groups);
    let outer = draw.one(&["AND", "OR", "OR"]);
    put(draw, tame, &mut rule, "outerOp", outer.into());
    Value::Object(rule)
}

/// A form record: of five pages and eight questions at most. A tame one has all in its right type and no id twice.
pub(crate) fn record(draw: &mut Draw<'_>, tame: bool, most_questions: usize) -> Value {
    let mut parts = Map::new();
    let pages = draw.below(PAGES.len() + 1);
    let mut questions = 0;
    let mut all = Vec::new();
    for at in 0..pages {
        let count = draw.below(4).min(most_questions - questions);
        let first = questions;
        questions += count;
        let mut page = Map::new();
        let own = id(draw, tame, &PAGES, at);
        put(draw, tame, &mut page, "id", own);
        let fields = list(draw, tame, count, |draw, at| question(draw, tame, first + at));
        put(draw, tame, &mut page, "fields", fields);
        all.push(if !tame && draw.rarely(40) { wild(draw) } else { Value::Object(page) });
    }
    put(draw, tame, &mut parts, "pages", all.into());
    let count = draw.below(9);
    let rules = list(draw, tame, count, |draw, _| rule(draw, tame, pages, questions));
    put(draw, tame, &mut parts, "logic", json!({"rules": rules}));
    let mut settings = Map::new();
    let count = draw.below(4);
    let endings = list(draw, tame, count, |draw, at| {
        let mut ending = Map::new();
        let own = id(draw, tame, &ENDINGS, at);
        put(draw, tame, &mut ending, "id", own);
        let message = draw.one(&LABELS);
        put(draw, tame, &mut ending, "message", message.into());
        if draw.rarely(3) {
            put(draw, tame, &mut ending, "createsLead", false.into());
        }
        if draw.rarely(3) {
            put(draw, tame, &mut ending, "kind", "calendar".into());
            put(draw, tame, &mut ending, "calendarSlug", "slug".into());
            put(draw, tame, &mut ending, "metaEvent", json!({"name": "Lead"}));
            let url = draw.one(&["https://a.b/c", "javascript:x"]);
            put(draw, tame, &mut ending, "postBookingRedirectUrl", url.into());
        }
        Value::Object(ending)
    });
    put(draw, tame, &mut settings, "endings", endings);
    put(draw, tame, &mut settings, "verifyEmail", true.into());
    put(draw, tame, &mut settings, "verifyPhone", true.into());
    put(draw, tame, &mut settings, "redirectUrl", "http://x.y".into());
    put(draw, tame, &mut settings, "autoBookDuration", 30.into());
    put(draw, tame, &mut settings, "defaultBookingSlug", "default".into());
    put(draw, tame, &mut parts, "settings", Value::Object(settings));
    put(draw, tame, &mut parts, "confirmation_message", "Bye {name}".into());
    let mut form = if draw.rarely(3) { Map::from_iter([("live_snapshot".to_owned(), parts.into())]) } else { parts };
    put(draw, tame, &mut form, "client_id", "c1".into());
    put(draw, tame, &mut form, "name", "Care".into());
    put(draw, tame, &mut form, "target_pipeline_id", "p1".into());
    if pages == 0 {
        let count = draw.below(3);
        let fields = list(draw, tame, count, |draw, at| question(draw, tame, at));
        put(draw, tame, &mut form, "fields", fields);
    }
    let mut record = Map::new();
    put(draw, tame, &mut record, "form", Value::Object(form));
    Value::Object(record)
}
