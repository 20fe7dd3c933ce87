//! The rules of the fields that callers write (contract D4 to D6), as JSON Schema and in words.

use serde_json::{Value, json};

use super::{schema::visible, set};
use crate::{
    id::MAX_ID_CHARS,
    validate::text::{BUSINESS_NAME, EMAIL, NAME, NOTES, PHONE, SOURCE, TextRule},
};

/// Control characters, inside the brackets of a regular expression (ECMA-262).
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
/// The same without line breaks and tabs.
const CONTROL_IN_NOTES: &str = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f";
/// Control characters and white space as Unicode has it.
const BLANK: &str = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// The schema of a field in a body. `""` and blanks, which are what forms send for a field left empty, are `null`.
///
/// A schema cannot say that blanks at both ends are trimmed before anything else, so it describes what is left, and the
/// words say the rest.
pub(super) fn schema(name: &str) -> Value {
    match name {
        "client_id" => {
            let mut id = visible(MAX_ID_CHARS);
            let description = "The client account that the lead belongs to: one of `GET /clients`, any other is 403.";
            set(&mut id, "description", description);
            id
        }
        "name" => json!({
            "description": "Blanks at both ends are trimmed. No control characters.",
            "type": "string", "minLength": 1, "maxLength": NAME.max_chars(),
            "pattern": format!("^[^{CONTROL}]*[^{BLANK}][^{CONTROL}]*$"),
        }),
        "email" => optional(
            &EMAIL,
            "Blanks at both ends are trimmed. One @, 1 to 64 characters before it, a dotted domain after it, no \
                blanks; kept as it is sent.",
            &format!(r"^([^@{BLANK}]{{1,64}}@[^@.{BLANK}]+(\.[^@.{BLANK}]+)+)?$"),
        ),
        "phone" => {
            let description =
                "Blanks at both ends are trimmed. At least three digits, of any script; no country is guessed.";
            let mut phone = optional(&PHONE, description, &without(CONTROL));
            // No regular expression that everybody reads knows the digits of all scripts.
            set(&mut phone, "format", "phone");
            phone
        }
        "source" => optional(&SOURCE, "Where the lead came from: free text, kept as it is sent.", &without(CONTROL)),
        "notes" => optional(
            &NOTES,
            "Free text, kept as it is sent. No control characters but line breaks and tabs.",
            &without(CONTROL_IN_NOTES),
        ),
        "business_name" => optional(
            &BUSINESS_NAME,
            "The name of the lead's own business. Blanks at both ends are trimmed. No control characters.",
            &without(CONTROL),
        ),
        "value" => json!({
            "description": "What the lead may be worth, in major currency units. A whole number must be one that a \
                double holds exactly, such as any of up to 15 digits.",
            "type": ["number", "null"],
            "format": "double",
        }),
        "pipeline_id" => reference(
            "The pipeline to be put in: one of `GET /pipelines`, any other is 400. Without a stage, its first; where \
                the lead is in it already, the stage stays.",
        ),
        "stage_id" => reference(
            "The stage to be put in: one of `GET /pipelines`, any other is 400. The pipeline follows from it, and if \
                one is named too, it must be that.",
        ),
        _ => Value::Bool(true),
    }
}

/// A pipeline without a stage and a stage without a pipeline, which no lead can be in (contract D6).
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

fn optional(rule: &TextRule, description: &str, pattern: &str) -> Value {
    json!({
        "description": description,
        "type": ["string", "null"],
        "maxLength": rule.max_chars(),
        "pattern": pattern,
    })
}

fn reference(description: &str) -> Value {
    json!({
        "description": description,
        "type": ["string", "null"],
        "maxLength": MAX_ID_CHARS,
        "pattern": "^[!-~]*$",
    })
}

fn without(class: &str) -> String {
    format!("^[^{class}]*$")
}
