//! Adds limits, formats, languages and fallbacks to random forms.

use serde_json::{Value, json};

use super::Draw;

const LABELS: [&str; 4] = ["{name|you}, why?", "{q1|}{custom | a & b }", "{q0|x|y}", "{zz|a}{|b}"];

fn text(draw: &mut Draw<'_>) -> Value {
    match draw.below(6) {
        0 => json!({"de": draw.one(&LABELS), "en-GB": draw.one(&LABELS), "fr": null}),
        1 => json!({"default": draw.one(&LABELS), "en": "No"}),
        2 => json!({"de": " ", "it": draw.one(&LABELS)}),
        3 => json!({"de": 7, "en": "No"}),
        _ => json!(draw.one(&LABELS)),
    }
}

/// Adds limits and formats to some of the questions of a record, and meaningless members to some of its objects.
/// Replaces some of its texts with placeholders and translations.
pub(crate) fn add_extras(draw: &mut Draw<'_>, value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| add_extras(draw, value)),
        Value::Object(all) => {
            for (name, member) in all.iter_mut() {
                if matches!(name.as_str(), "label" | "message" | "confirmation_message") && draw.rarely(3) {
                    *member = text(draw);
                }
                add_extras(draw, member);
            }
            if draw.rarely(8) {
                // A meaningless member that contains members that have a meaning elsewhere.
                all.insert("zz".into(), json!({"id": "p0", "op": "OR", "conds": [{}], "required": true}));
            }
            if !all.contains_key("mappedKey") && !all.contains_key("options") {
                return;
            }
            match draw.below(8) {
                0 => all.insert("minLength".into(), [json!(2), json!(5), json!(-1), json!("3")][draw.below(4)].clone()),
                1 => all.insert("maxLength".into(), [json!(4), json!(30), json!(0), json!(2.5)][draw.below(4)].clone()),
                2 => {
                    let pattern = draw.one(&["^[0-9]{5}$", "^\\+", "a|5", "(", "(?=a)b"]);
                    all.insert("pattern".into(), pattern.into())
                }
                3 => all.insert("currency".into(), draw.one(&["EUR", "CHF", ""]).into()),
                4 => all.insert("format".into(), "currency".into()),
                _ => None,
            };
        }
        _ => {}
    }
}
