//! Forms with a fault that only an analysis of the paths through the form reveals.

use leadapi_form::Code;
use serde_json::{Value, json};

use super::{jump, question, rule};

/// Plants the fault for this code and returns the finding's pointer. Returns `None` if the code belongs to another
/// module.
pub(super) fn plant(code: Code, record: &mut Value) -> Option<&'static str> {
    let form = &mut record["form"];
    Some(match code {
        Code::EndlessWalk => {
            form["logic"]["rules"][2]["then"]["target"] = json!("b");
            "/form/pages/1"
        }
        Code::NoLeadEnding => {
            for ending in form["settings"]["endings"].as_array_mut().unwrap() {
                ending["createsLead"] = json!(false);
            }
            "/form/settings/endings"
        }
        Code::LeadWithoutName => {
            form["pages"][2]["fields"][0]["required"] = json!(false);
            form["pages"][2]["fields"][1]["required"] = json!(false);
            "/form"
        }
        Code::RuleNeverMatches => {
            form["logic"]["rules"][2]["groups"][0]["conds"][0] = json!({"fieldId": "age", "op": "equals", "value": 17});
            "/form/logic/rules/2"
        }
        Code::RuleShadowed => {
            rule(record, jump("c", "end:no", json!([{"fieldId": "age", "op": "gt", "value": 70}])));
            "/form/logic/rules/3"
        }
        Code::PageUnreachable => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            rule(
                record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            "/form/pages/3"
        }
        Code::PageInfeasible => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            rule(
                record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            rule(record, jump("b", "d", json!([{"fieldId": "age", "op": "equals", "value": 3}])));
            "/form/pages/3"
        }
        Code::EndingUnreachable => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "x", "createsLead": true}));
            "/form/settings/endings/3"
        }
        Code::EndingInfeasible => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "x", "createsLead": true}));
            rule(record, jump("b", "end:x", json!([{"fieldId": "age", "op": "equals", "value": 3}])));
            "/form/settings/endings/3"
        }
        Code::LeadWithoutContact => {
            form["pages"][2]["fields"][1]["required"] = json!(false);
            "/form"
        }
        Code::FallbackNeverUsed => {
            let all = json!([{"fieldId": "kind", "op": "equals", "value": "o1"}]);
            rule(record, jump("a", "b", all));
            "/form/logic/rules/1"
        }
        Code::ConditionMaybeUnasked => {
            rule(
                record,
                json!({"id": "r3", "name": "Skip", "fromPageId": "a", "outerOp": "OR",
                "then": {"kind": "jump", "target": "c"},
                "groups": [{"op": "AND", "conds": [{"fieldId": "free", "op": "is_filled"}]}]}),
            );
            question(record, 0, json!({"id": "free", "type": "short_text", "label": "Free?"}));
            "/form/logic/rules/2/groups/0/conds/0/fieldId"
        }
        Code::ConditionAlwaysTrue => {
            form["logic"]["rules"][2]["groups"][0]["conds"]
                .as_array_mut()
                .unwrap()
                .push(json!({"fieldId": "name", "op": "is_filled"}));
            "/form/logic/rules/2/groups/0/conds/1"
        }
        Code::RuleSameAsDefault => {
            rule(record, jump("b", "c", json!([{"fieldId": "age", "op": "gt", "value": 50}])));
            "/form/logic/rules/3"
        }
        Code::BudgetExceeded => {
            // Adds fourteen questions with two possible answers each, and a final rule that reads all of them.
            let ids: Vec<String> = (0..14).map(|number| format!("x{number}")).collect();
            for id in &ids {
                question(record, 1, json!({"id": id, "type": "short_text", "label": "X?"}));
            }
            let all = ids.iter().map(|id| json!({"fieldId": id, "op": "is_filled"})).collect();
            rule(record, jump("c", "end:no", all));
            "/form"
        }
        _ => return None,
    })
}
