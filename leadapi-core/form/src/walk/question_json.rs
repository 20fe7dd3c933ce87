//! Questions as JSON, with everything that a page needs to draw them.

use serde_json::{Map, Value, json};

use super::{Escape, StepQuestion};
use crate::{Bound, Field, plan::QuestionKind, rating_scale};

/// Returns a question as a JSON object. A limit that the engine ignores is absent.
pub(super) fn question_json(question: StepQuestion<'_, '_>, fallback: &str) -> Value {
    let (record, plan) = (question.record(), question.question);
    let options = question.options().map(|(id, label)| json!({"id": id, "label": label}));
    let mut json = Map::new();
    let mut set = |name: &str, value: Value| json.insert(name.to_owned(), value);
    set("id", question.id().into());
    set("label", question.label(fallback, Escape::Plain).into());
    set("type", question.question_type().map_or(Value::Null, |kind| kind.as_str().into()));
    set("required", plan.required.into());
    set("options", options.collect());
    set("text", json!(question.text()));
    let mut limit = |name: &str, value: Option<Value>| value.map(|value| set(name, value));
    let bound = |bound: &Field<Bound>, is_used: bool| bound.get().filter(|_| is_used).map(|bound| json!(bound));
    let (min, max) = match &plan.kind {
        QuestionKind::Number { whole: true, .. } => {
            let scale = rating_scale(record);
            (scale.map(|(min, _)| min.into()), scale.map(|(_, max)| max.into()))
        }
        QuestionKind::Number { bounds, .. } => {
            (bound(&record.min, bounds.min.is_some()), bound(&record.max, bounds.max.is_some()))
        }
        QuestionKind::Date(bounds) => {
            (bound(&record.min, bounds.min.is_some()), bound(&record.max, bounds.max.is_some()))
        }
        _ => (None, None),
    };
    limit("min", min);
    limit("max", max);
    if let Some(limits) = &plan.limits {
        limit("minLength", limits.min().map(Value::from));
        limit("maxLength", limits.max().map(Value::from));
        limit("pattern", record.pattern.as_str().filter(|_| limits.has_pattern()).map(Value::from));
    }
    limit("currency", record.currency.as_str().filter(|_| plan.kind.is_money()).map(|code| code.trim().into()));
    Value::Object(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answers, FormRecord, Policy, Questionnaire, Version};

    #[test]
    fn a_question_has_what_a_page_needs() {
        for (question, expected) in [
            (
                json!({"type": "NPS", "required": true}),
                json!({"type": "rating", "required": true, "options": [], "min": 0, "max": 10}),
            ),
            (
                json!({"type": "text", "minLength": 2, "maxLength": -1, "pattern": "^a", "min": 3}),
                json!({"type": "short_text", "required": false, "options": [], "minLength": 2, "pattern": "^a"}),
            ),
            (
                json!({"type": "monetary", "currency": "EUR", "min": 5, "max": "6", "pattern": "a"}),
                json!({"type": "number", "required": false, "options": [], "min": 5, "currency": "EUR"}),
            ),
            (
                json!({"type": "date", "min": "2026-05-31", "max": 7}),
                json!({"type": "date", "required": false, "options": [], "min": "2026-05-31"}),
            ),
            (
                json!({"type": "radio", "options": [{"id": "a", "label": {"de": "Ja!", "en": "Yes!"}}, {"id": "b"}]}),
                json!({"type": "single_choice", "required": false,
                    "options": [{"id": "a", "label": "Ja!"}, {"id": "b", "label": "b"}]}),
            ),
            (json!({"type": "hidden", "required": true}), json!({"type": "hidden", "required": false, "options": []})),
            (json!({}), json!({"type": null, "required": false, "options": []})),
        ] {
            let mut question = question;
            question["id"] = json!("q");
            let record: FormRecord =
                serde_json::from_value(json!({"form": {"locale": "de", "fields": [question]}})).unwrap();
            let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
            let answers = Answers::new();
            let mut drawn = form.walk(&answers).to_json("")["steps"][0]["questions"][0].clone();
            let rest = ["id", "label", "text"].map(|name| drawn.as_object_mut().unwrap().remove(name));
            assert!(rest.iter().all(Option::is_some));
            assert_eq!(drawn, expected, "{question}");
        }
    }
}
