//! A clean form, and for each finding code a change that causes the finding.

mod paths;
mod questions;
mod rules;
mod settings;

use leadapi_form::Code;
use serde_json::{Value, json};

/// Returns a form without findings.
pub(crate) fn clean() -> Value {
    json!({"form": {
        "client_id": "c1",
        "pages": [
            {"id": "a", "fields": [
                {"id": "kind", "type": "single_choice", "label": "Which?", "required": true, "options": [
                    {"id": "o1", "label": "One", "score": 1}, {"id": "o2", "label": "Two", "score": 2}]}]},
            {"id": "b", "fields": [
                {"id": "age", "type": "number", "label": "How old is {kind}?", "required": true, "min": 18}]},
            {"id": "c", "fields": [
                {"id": "name", "type": "short_text", "label": "Your name?", "required": true, "mappedKey": "name"},
                {"id": "mail", "type": "email", "label": "Your address?", "required": true, "mappedKey": "email"}]}],
        "logic": {"rules": [
            {"id": "r0", "name": "No", "fromPageId": "a", "then": {"kind": "jump", "target": "end:no"}, "outerOp": "OR",
                "groups": [{"op": "AND", "conds": [{"fieldId": "kind", "op": "equals", "value": "o2"}]}]},
            {"id": "r1", "name": "__fallback__", "fromPageId": "a", "then": {"kind": "jump", "target": "b"},
                "outerOp": "OR", "groups": []},
            {"id": "r2", "name": "Old", "fromPageId": "c", "then": {"kind": "jump", "target": "end:call"}, "outerOp": "OR",
                "groups": [{"op": "AND", "conds": [{"fieldId": "age", "op": "gt", "value": 60}]}]}]},
        "settings": {"endings": [
            {"id": "thanks", "message": "Thank you, {name}.", "createsLead": true},
            {"id": "call", "message": "We call you.", "createsLead": true},
            {"id": "no", "message": "Sorry.", "createsLead": false}]},
        "theme": {"bgColor": "#ffffff", "textColor": "#222222"}}})
}

pub(crate) fn question(record: &mut Value, page: usize, question: Value) {
    record["form"]["pages"][page]["fields"].as_array_mut().unwrap().push(question);
}

pub(crate) fn rule(record: &mut Value, rule: Value) {
    record["form"]["logic"]["rules"].as_array_mut().unwrap().push(rule);
}

pub(crate) fn jump(from: &str, to: &str, conditions: Value) -> Value {
    json!({"id": "new", "name": "New", "fromPageId": from, "then": {"kind": "jump", "target": to}, "outerOp": "OR",
        "groups": [{"op": "AND", "conds": conditions}]})
}

pub(crate) fn published(mut record: Value) -> Value {
    let form = &record["form"];
    let names = ["logic", "pages", "theme", "settings"];
    let snapshot = names.iter().map(|name| ((*name).to_owned(), form[*name].clone())).collect();
    record["form"]["live_snapshot"] = Value::Object(snapshot);
    record
}

/// Returns a form that causes a finding with this code, and the JSON pointer of the finding.
pub(crate) fn showcase(code: Code) -> (&'static str, Value) {
    let mut record = clean();
    let pointer = questions::plant(code, &mut record)
        .or_else(|| rules::plant(code, &mut record))
        .or_else(|| paths::plant(code, &mut record))
        .or_else(|| settings::plant(code, &mut record));
    (pointer.unwrap_or_else(|| panic!("no form shows {code}")), record)
}
