//! Generates forms of a given size, for benchmarks.

use serde_json::{Value, json};

/// Returns a form with this number of pages, each with two questions, three rules of two conditions, and a fallback.
/// Also returns answers that match only the fallbacks, so a walk visits every page and evaluates every condition.
#[must_use]
pub fn sized(pages: usize) -> (Value, Value) {
    let page = |page: usize| {
        json!({"id": format!("page_{page}"), "title": "A page", "fields": [
            {"id": format!("choice_{page}"), "type": "single_choice", "label": "Which?", "required": true, "options": [
                {"id": "one", "label": "One", "score": 1}, {"id": "two", "label": "Two", "score": 2},
                {"id": "three", "label": "Three", "score": 3}]},
            {"id": format!("number_{page}"), "type": "number", "label": "How many?", "required": true, "min": 0}]})
    };
    let mut rules = Vec::new();
    for at in 0..pages {
        for rule in 0..3 {
            rules.push(json!({"id": format!("rule_{at}_{rule}"), "name": "A rule", "fromPageId": format!("page_{at}"),
                "then": {"kind": "jump", "target": "end:sorry"}, "outerOp": "OR", "groups": [{"op": "AND", "conds": [
                    {"fieldId": format!("choice_{at}"), "op": "equals", "value": "two"},
                    {"fieldId": format!("number_{at}"), "op": "gt", "value": 10 * rule + 100}]}]}));
        }
        let next = if at + 1 < pages { format!("page_{}", at + 1) } else { "end:thanks".to_owned() };
        rules.push(json!({"id": format!("fallback_{at}"), "name": "__fallback__", "fromPageId": format!("page_{at}"),
            "then": {"kind": "jump", "target": next}, "outerOp": "OR", "groups": []}));
    }
    let endings = json!([{"id": "thanks", "createsLead": true}, {"id": "sorry", "createsLead": false}]);
    let record = json!({"form": {"client_id": "c1", "pages": (0..pages).map(page).collect::<Vec<_>>(),
        "logic": {"rules": rules}, "settings": {"endings": endings}}});
    let mut answers = serde_json::Map::new();
    for at in 0..pages {
        // This answer satisfies the first condition, so the second one is evaluated too.
        answers.insert(format!("choice_{at}"), json!("two"));
        answers.insert(format!("number_{at}"), json!(7));
    }
    (record, Value::Object(answers))
}
