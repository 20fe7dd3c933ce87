//! The rules for the fields that callers can write (contract D4 to D6), as JSON Schema and as prose.

use serde_json::{Value, json};

use super::{set, visible};
use crate::{
    id::MAX_ID_CHARS,
    validate::{NAME, OPTIONAL_TEXTS, OptionalText, Shape, email_pattern},
};

/// Control characters, for use inside a character class of a regular expression (ECMA-262).
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
/// Control characters except line breaks and tabs.
const CONTROL_IN_NOTES: &str = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f";
/// Control characters and Unicode whitespace.
const BLANK: &str = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// Returns the schema for a field in a request body. In an optional field, a blank string counts as `null`, because
/// HTML forms send an empty string for an empty field.
///
/// The service trims the values of some fields before validation, which JSON Schema cannot express. The schema of such
/// a field therefore describes the trimmed value, and its description mentions the trimming.
pub(super) fn schema(name: &str) -> Value {
    match name {
        "client_id" => {
            let mut id = visible(MAX_ID_CHARS);
            let description = "The client account that the lead belongs to, from `GET /clients`. An unknown client \
                account is rejected with 403.";
            set(&mut id, "description", description);
            id
        }
        "name" => json!({
            "description": "The name of the lead. Leading and trailing white space is trimmed. Control characters \
                are not allowed.",
            "type": "string", "minLength": 1, "maxLength": NAME.max_chars,
            "pattern": format!("^[^{CONTROL}]*[^{BLANK}][^{CONTROL}]*$"),
        }),
        "value" => json!({
            "description": "The potential value of the lead, in major currency units. A whole number must be \
                exactly representable as a double. All whole numbers of up to 15 digits are.",
            "type": ["number", "null"],
            "format": "double",
        }),
        "pipeline_id" => reference(
            "The pipeline for the lead, from `GET /pipelines`. An unknown pipeline is rejected with 400. Without a \
                `stage_id`, the lead enters the first stage, or keeps its stage if it is already in the pipeline.",
        ),
        "stage_id" => reference(
            "The stage for the lead, from `GET /pipelines`. An unknown stage is rejected with 400. The stage \
                determines the pipeline, so a `pipeline_id` in the same request must match.",
        ),
        _ => OPTIONAL_TEXTS.iter().find(|text| text.name() == name).map_or(Value::Bool(true), |text| optional(text)),
    }
}

/// Returns a schema that matches bodies with the pipeline set and the stage cleared, or the reverse. Such bodies are
/// rejected, because a lead in a pipeline always has a stage (contract D6).
pub(super) fn one_cleared_the_other_set() -> Value {
    let (cleared, set) = (json!({ "enum": [null, ""] }), json!({ "type": "string", "minLength": 1 }));
    let both = |pipeline: &Value, stage: &Value| {
        json!({
            "required": ["pipeline_id", "stage_id"],
            "properties": { "pipeline_id": pipeline, "stage_id": stage },
        })
    };
    json!({ "anyOf": [both(&cleared, &set), both(&set, &cleared)] })
}

fn optional(text: &OptionalText) -> Value {
    let pattern = match text.rule.shape {
        Some(Shape::Email) => email_pattern(BLANK),
        Some(Shape::Phone) | None if text.rule.line_breaks => format!("^[^{CONTROL_IN_NOTES}]*$"),
        Some(Shape::Phone) | None => format!("^[^{CONTROL}]*$"),
    };
    let mut schema = json!({
        "description": text.description,
        "type": ["string", "null"],
        "maxLength": text.rule.max_chars,
        "pattern": pattern,
    });
    // No portable regular expression matches the digits of all scripts, so the pattern does not count digits.
    if let Some(Shape::Phone) = text.rule.shape {
        set(&mut schema, "format", "phone");
    }
    schema
}

fn reference(description: &str) -> Value {
    json!({
        "description": description,
        "type": ["string", "null"],
        "maxLength": MAX_ID_CHARS,
        "pattern": "^[!-~]*$",
    })
}
