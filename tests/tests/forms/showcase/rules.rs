//! Forms with a fault in a rule or its conditions.

use leadapi_form::Code;
use serde_json::{Value, json};

use super::{jump, question, rule};

/// Plants the fault for this code and returns the finding's pointer. Returns `None` if the code belongs to another
/// module.
pub(super) fn plant(code: Code, record: &mut Value) -> Option<&'static str> {
    let form = &mut record["form"];
    Some(match code {
        Code::TargetPageMissing => {
            form["logic"]["rules"][0]["then"]["target"] = json!("nowhere");
            "/form/logic/rules/0/then/target"
        }
        Code::TargetEndingMissing => {
            form["logic"]["rules"][0]["then"]["target"] = json!("end:nowhere");
            "/form/logic/rules/0/then/target"
        }
        Code::ConditionQuestionMissing => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["fieldId"] = json!("nobody");
            "/form/logic/rules/0/groups/0/conds/0/fieldId"
        }
        Code::ConditionOptionMissing => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["value"] = json!("o9");
            "/form/logic/rules/0/groups/0/conds/0/value"
        }
        Code::DuplicateRuleId => {
            form["logic"]["rules"][1]["id"] = json!("r0");
            "/form/logic/rules/1/id"
        }
        Code::FromPageMissing => {
            form["logic"]["rules"][0]["fromPageId"] = json!("nowhere");
            "/form/logic/rules/0/fromPageId"
        }
        Code::UnknownJump => {
            form["logic"]["rules"][0]["then"]["kind"] = json!("popup");
            "/form/logic/rules/0/then/kind"
        }
        Code::UnknownOperator => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = json!("sounds_like");
            "/form/logic/rules/0/groups/0/conds/0/op"
        }
        Code::UnknownJoin => {
            form["logic"]["rules"][0]["groups"][0]["op"] = json!("XOR");
            "/form/logic/rules/0/groups/0/op"
        }
        Code::ValueMismatch => {
            form["logic"]["rules"][2]["groups"][0]["conds"][0]["value"] = json!("sixty");
            "/form/logic/rules/2/groups/0/conds/0/value"
        }
        Code::GtOnNonNumber => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = json!("gt");
            "/form/logic/rules/0/groups/0/conds/0/op"
        }
        Code::OperatorMismatch => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = json!("starts_with");
            "/form/logic/rules/0/groups/0/conds/0/op"
        }
        Code::RuleAlwaysMatches => {
            let not = |value: &str| json!({"fieldId": "kind", "op": "not_equals", "value": value});
            rule(
                record,
                json!({"fromPageId": "c", "then": {"kind": "jump", "target": "end:no"},
                "groups": [{"op": "OR", "conds": [not("o1"), not("o2")]}]}),
            );
            "/form/logic/rules/3"
        }
        Code::RuleWithoutConditions => {
            form["logic"]["rules"][2]["groups"] = json!([]);
            "/form/logic/rules/2"
        }
        Code::DuplicateFallback => {
            let copy = json!({"name": "__fallback__", "fromPageId": "a", "then": {"kind": "jump", "target": "c"}});
            rule(record, copy);
            "/form/logic/rules/3"
        }
        Code::FallbackWithConditions => {
            form["logic"]["rules"][1]["groups"] = form["logic"]["rules"][0]["groups"].clone();
            form["logic"]["rules"][1]["groups"][0]["conds"][0]["value"] = json!("o1");
            "/form/logic/rules/1/groups"
        }
        Code::ConditionOnLaterPage => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0] = json!({"fieldId": "age", "op": "gt", "value": 20});
            "/form/logic/rules/0/groups/0/conds/0/fieldId"
        }
        Code::EmptyGroup => {
            form["logic"]["rules"][0]["groups"].as_array_mut().unwrap().push(json!({"op": "AND", "conds": []}));
            "/form/logic/rules/0/groups/1"
        }
        Code::ValueIgnored => {
            question(record, 2, json!({"id": "x", "type": "short_text", "label": "X?"}));
            rule(record, jump("c", "end:no", json!([{"fieldId": "x", "op": "is_filled", "value": "y"}])));
            "/form/logic/rules/3/groups/0/conds/0/value"
        }
        Code::FallbackNotLast => {
            form["logic"]["rules"].as_array_mut().unwrap().swap(0, 1);
            "/form/logic/rules/0"
        }
        Code::UndecidedRule => {
            rule(record, jump("b", "end:no", json!([{"fieldId": "age", "op": "sounds_like", "value": 20}])));
            "/form/logic/rules/3"
        }
        _ => return None,
    })
}
