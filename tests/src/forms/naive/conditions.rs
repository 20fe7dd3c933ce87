//! Evaluates conditions in Kleene's three-valued logic.

use serde_json::Value;

use super::{
    Naive,
    kinds::kind,
    values::{number_of, text_of, written},
};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kleene {
    Yes,
    No,
    Maybe,
}

impl Naive<'_> {
    pub(super) fn condition(&self, condition: &Value, pages: &[usize], answers: &Value) -> Kleene {
        let op = condition["op"].as_str().unwrap_or("");
        if !condition.is_object() || !["equals", "gt", "is_filled"].contains(&op) {
            return Kleene::Maybe;
        }
        let Some(id) = text_of(&condition["fieldId"]) else { return Kleene::No };
        let Some(answer) = self.visible(id, pages, answers) else { return Kleene::No };
        let (_, question) = self.question(id).unwrap();
        let value = &condition["value"];
        let kind = kind(question);
        let holds = match op {
            "is_filled" => true,
            "equals" if kind == "single_choice" || kind == "dropdown" => value.is_string() && value == answer,
            "equals" if kind == "number" || kind == "rating" => match (number_of(answer), number_of(value)) {
                (Some(answer), Some(value)) => answer == value,
                _ => false,
            },
            "equals" if ["multi_choice", "checkbox", "consent", "date", "yes_no"].contains(&kind) => false,
            "equals" => {
                let simple = value.is_string() || value.is_number();
                simple && !answer.is_array() && !answer.is_object() && written(answer) == written(value)
            }
            _ => {
                let numeric = kind == "number" || kind == "rating" || (kind.is_empty() && answer.is_number());
                match (number_of(answer), number_of(value)) {
                    (Some(answer), Some(value)) => numeric && answer > value,
                    _ => false,
                }
            }
        };
        if holds { Kleene::Yes } else { Kleene::No }
    }

    pub(super) fn group(&self, group: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        if !group.is_object() {
            return Some(Kleene::Maybe);
        }
        let conds = &group["conds"];
        if conds.is_null() {
            return None;
        }
        let Some(conds) = conds.as_array() else { return Some(Kleene::Maybe) };
        if conds.is_empty() {
            return None;
        }
        let all = conds.iter().map(|cond| self.condition(cond, pages, answers)).collect::<Vec<_>>();
        Some(join(&group["op"], &all))
    }

    /// Evaluates the conditions of a rule. Returns `None` if the rule has none.
    pub(super) fn conditions(&self, rule: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        let groups = &rule["groups"];
        if groups.is_null() {
            return None;
        }
        let Some(groups) = groups.as_array() else { return Some(join(&rule["outerOp"], &[Kleene::Maybe])) };
        let all = groups.iter().filter_map(|group| self.group(group, pages, answers)).collect::<Vec<_>>();
        if all.is_empty() { None } else { Some(join(&rule["outerOp"], &all)) }
    }
}

fn join(op: &Value, all: &[Kleene]) -> Kleene {
    let op = if op.is_null() { "AND" } else { op.as_str().unwrap_or("?") };
    let has = |kleene| all.contains(&kleene);
    match op {
        "AND" if has(Kleene::No) => Kleene::No,
        "AND" if has(Kleene::Maybe) => Kleene::Maybe,
        "AND" => Kleene::Yes,
        "OR" if has(Kleene::Yes) => Kleene::Yes,
        "OR" if has(Kleene::Maybe) => Kleene::Maybe,
        "OR" => Kleene::No,
        _ => Kleene::Maybe,
    }
}
