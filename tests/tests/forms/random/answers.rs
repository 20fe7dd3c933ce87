//! Generates random answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{DATES, Draw, OPTIONS, QUESTIONS, TEXTS};

const URLS: [&str; 4] = ["https://a.b/c", " http://x.y ", "a.b", "https://a b"];

/// Numbers as people type them.
const NUMBERS: [&str; 12] = [
    "9.500",
    "1.500,-",
    "€5",
    "-5 EUR",
    "1 234",
    "12.34,5",
    "1,234.50",
    "1.234,5",
    "0.125",
    "\u{2212}5",
    "007",
    "1.500.-",
];

fn answer(draw: &mut Draw<'_>) -> Value {
    match draw.below(15) {
        0 => Value::Null,
        1 => json!(draw.below(12)),
        2 => json!(4.5),
        3 => json!(false),
        4 => json!([1]),
        5 => json!({}),
        6..8 => json!(draw.one(&OPTIONS)),
        8 => json!("ann@example.org"),
        9 => json!("202 555 0100"),
        12 => json!(draw.one(&DATES)),
        13 => json!([draw.one(&OPTIONS), draw.one(&OPTIONS)]),
        14 => json!({"street": draw.one(&TEXTS), "zip": 10115, "url": draw.one(&URLS), "name": draw.one(&TEXTS)}),
        _ => json!(draw.one(&TEXTS)),
    }
}

/// Generates answers to some of the questions of a record, most of them valid.
pub(crate) fn answers(draw: &mut Draw<'_>, record: &Value) -> Value {
    let mut kinds = BTreeMap::new();
    question_types(record, &mut kinds);
    let mut answers = Map::new();
    for id in QUESTIONS {
        let good = match (kinds.get(id).copied(), draw.below(8)) {
            (_, 7) => continue,
            (_, 6) | (None, _) => answer(draw),
            (Some("single_choice" | "dropdown"), _) | (Some("multi_choice" | "multipleChoiceMulti"), 5) => {
                json!(OPTIONS[draw.below(3)])
            }
            (Some("number"), 5) => json!(draw.one(&["1,5", "5", "5.0", " 7 ", "1e400", "0x10", "+3", ".5"])),
            (Some("number"), 4) => json!(draw.one(&NUMBERS)),
            (Some("number"), _) => json!(draw.below(12)),
            (Some("email"), _) => json!("ann@example.org"),
            (Some("phone" | "phone_number"), _) => json!("202 555 0100"),
            (Some("short_text" | "long_text" | "hidden"), _) | (Some("address"), 4) => json!(draw.one(&TEXTS)),
            (Some("multi_choice" | "multipleChoiceMulti"), 4) => json!([OPTIONS[0], OPTIONS[draw.below(3)]]),
            (Some("multi_choice" | "multipleChoiceMulti"), _) => json!([OPTIONS[draw.below(3)]]),
            (Some("checkbox" | "consent" | "yes_no"), 5) => {
                json!(draw.one(&["yes", " No ", "TRUE", "false", "on", "off", "maybe"]))
            }
            (Some("checkbox" | "consent" | "yes_no"), _) => json!(draw.below(4) > 0),
            (Some("date"), _) => json!(draw.one(&DATES)),
            (Some("rating" | "NPS"), 5) => json!(2.5),
            (Some("rating" | "NPS"), _) => json!(draw.below(7)),
            (Some("url"), _) => json!(draw.one(&URLS)),
            (Some("address"), 5) => json!([draw.one(&TEXTS), "", "Berlin", "BE", "10115"]),
            (Some("address"), _) => json!({"street": "A 1", "postcode": " 10115 ", "city": draw.one(&TEXTS), "x": 1}),
            (Some("file"), 5) => json!([{"url": "https://a.b/1", "fileName": "x"}, draw.one(&URLS)]),
            (Some("file"), _) => json!({"url": draw.one(&URLS), "name": draw.one(&TEXTS)}),
            (Some(_), _) => answer(draw),
        };
        answers.insert(id.to_owned(), good);
    }
    if draw.rarely(4) {
        answers.insert("stale".to_owned(), answer(draw));
    }
    Value::Object(answers)
}

/// Collects the types of all questions, at any depth.
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
