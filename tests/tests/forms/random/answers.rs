//! Generates random answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Draw, OPTIONS, QUESTIONS, TEXTS};

fn answer(draw: &mut Draw<'_>) -> Value {
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

/// Generates answers to some of the questions of a record, most of them valid.
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
