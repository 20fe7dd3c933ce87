//! Forms with a fault in a page, a question or an option.

use leadapi_form::Code;
use serde_json::{Value, json};

use super::{jump, question, rule};

/// Plants the fault for this code and returns the finding's pointer. Returns `None` if the code belongs to another
/// module.
#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(super) fn plant(code: Code, record: &mut Value) -> Option<&'static str> {
    let form = &mut record["form"];
    Some(match code {
        Code::DuplicatePageId => {
            let copy = json!({"id": "c", "fields": []});
            form["pages"].as_array_mut().unwrap().push(copy);
            "/form/pages/3/id"
        }
        Code::DuplicateQuestionId => {
            question(record, 2, json!({"id": "age", "type": "number", "label": "Again?"}));
            "/form/pages/2/fields/2/id"
        }
        Code::DuplicateOptionId => {
            form["pages"][0]["fields"][0]["options"].as_array_mut().unwrap().push(json!({"id": "o1", "label": "Too"}));
            "/form/pages/0/fields/0/options/2/id"
        }
        Code::QuestionWithoutId => {
            question(record, 2, json!({"type": "number", "label": "Again?"}));
            "/form/pages/2/fields/2"
        }
        Code::OptionWithoutId => {
            form["pages"][0]["fields"][0]["options"].as_array_mut().unwrap().push(json!({"id": " ", "label": "Too"}));
            "/form/pages/0/fields/0/options/2"
        }
        Code::NoQuestions => {
            form["pages"] = json!([]);
            form["logic"] = json!({});
            form["settings"] = json!({});
            "/form"
        }
        Code::RequiredChoiceWithoutOptions => {
            // The page is on a separate path, so that the form still creates leads.
            form["pages"].as_array_mut().unwrap().push(
                json!({"id": "d", "fields": [{"id": "x", "type": "single_choice", "label": "X?", "required": true}]}),
            );
            rule(
                record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            rule(record, jump("b", "d", json!([{"fieldId": "age", "op": "equals", "value": 99}])));
            "/form/pages/3/fields/0/options"
        }
        Code::UnexpectedType => {
            form["pages"][1]["fields"][0]["min"] = json!(true);
            "/form/pages/1/fields/0/min"
        }
        Code::BoundMismatch => {
            form["pages"][1]["fields"][0]["min"] = json!("18");
            "/form/pages/1/fields/0/min"
        }
        Code::EmptyRange => {
            question(
                record,
                2,
                json!({"id": "x", "type": "date", "label": "X?", "min": "2026-05-31", "max": "2026-05-30"}),
            );
            "/form/pages/2/fields/2/max"
        }
        Code::PatternIgnored => {
            form["pages"][2]["fields"][0]["pattern"] = json!("(?=a)");
            "/form/pages/2/fields/0/pattern"
        }
        Code::LimitOnOtherType => {
            form["pages"][1]["fields"][0]["maxLength"] = json!(3);
            "/form/pages/1/fields/0/maxLength"
        }
        Code::PageWithoutId => {
            form["pages"][1]["id"] = Value::Null;
            form["logic"]["rules"].as_array_mut().unwrap().remove(1);
            "/form/pages/1"
        }
        Code::PageIdLikeEnding => {
            form["pages"][1]["id"] = json!("end:b");
            form["logic"]["rules"].as_array_mut().unwrap().remove(1);
            "/form/pages/1/id"
        }
        Code::FieldsAndPages => {
            form["fields"] = json!([{"id": "x", "type": "number", "label": "X?"}]);
            "/form/fields"
        }
        Code::UnknownQuestionType => {
            question(record, 2, json!({"id": "x", "type": "matrix", "label": "X?"}));
            "/form/pages/2/fields/2/type"
        }
        Code::LabelEmpty => {
            form["pages"][1]["fields"][0]["label"] = json!(" ");
            "/form/pages/1/fields/0/label"
        }
        Code::OptionLabelEmpty => {
            form["pages"][0]["fields"][0]["options"][1]["label"] = json!("");
            "/form/pages/0/fields/0/options/1/label"
        }
        Code::ChoiceWithoutOptions => {
            question(record, 2, json!({"id": "x", "type": "single_choice", "label": "X?"}));
            "/form/pages/2/fields/2/options"
        }
        Code::ScoreNotInteger => {
            form["pages"][0]["fields"][0]["options"][1]["score"] = json!(2.5);
            "/form/pages/0/fields/0/options/1/score"
        }
        Code::UnknownMember => {
            form["pages"][1]["fields"][0]["a/b"] = json!(1);
            "/form/pages/1/fields/0/a~1b"
        }
        Code::UnsupportedMember => {
            form["pages"][1]["fields"][0]["visibleIf"] = json!("{kind} = 'o1'");
            "/form/pages/1/fields/0/visibleIf"
        }
        Code::PageWithoutQuestions => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            "/form/pages/3"
        }
        Code::SingleOption => {
            question(
                record,
                2,
                json!({"id": "x", "type": "single_choice", "label": "X?", "options": [
                {"id": "ok", "label": "I agree"}]}),
            );
            "/form/pages/2/fields/2/options"
        }
        Code::OptionsOnOtherType => {
            form["pages"][1]["fields"][0]["options"] = json!([{"id": "x"}]);
            "/form/pages/1/fields/0/options"
        }
        Code::MinOnOtherType => {
            form["pages"][0]["fields"][0]["min"] = json!(1);
            "/form/pages/0/fields/0/min"
        }
        _ => return None,
    })
}
