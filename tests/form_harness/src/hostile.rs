//! Large but valid records. Each of them once made the form check take seconds or use gigabytes.

use std::fmt::Write;

use serde_json::{Value, json};

/// Returns the records, each with its name and JSON text.
pub fn hostile() -> Vec<(&'static str, String)> {
    vec![
        ("a page of 10,000 questions, 16 of them used by conditions", wide(10_000, 16)),
        ("a question with 100,000 options", options(100_000)),
        ("10,000 alternative pages that map to the name", mapped(10_000)),
        ("100,000 pages without rules", plain(100_000)),
        ("10,000 conditions on pages throughout the form", order(10_000)),
        ("10,000 pages, each with a condition on the previous one", chain(10_000)),
        ("10,000 options with a rule for each", option_rules(10_000)),
        ("2,200,000 braces", braces(1_100_000)),
        ("10,000 pages with a placeholder and a fork each", placeholders(10_000)),
        ("4,000 rules on one number", number_rules(4_000)),
        ("3,000 pages in one cycle", cycle(3_000)),
    ]
}

fn text(form: &Value) -> String {
    let mut form = form.clone();
    form["client_id"] = json!("c1");
    json!({"form": form}).to_string()
}

fn question(id: &str) -> Value {
    json!({"id": id, "type": "short_text", "label": "Why?", "required": true})
}

fn page(at: usize) -> Value {
    json!({"id": format!("p{at}"), "fields": [question(&format!("q{at}"))]})
}

fn pages(count: usize) -> Vec<Value> {
    (0..count).map(page).collect()
}

fn rule(from: &str, to: &str, conditions: &[Value]) -> Value {
    json!({"fromPageId": from, "then": {"kind": "jump", "target": to}, "groups": [{"op": "AND", "conds": conditions}]})
}

fn equals(question: &str, value: &str) -> Value {
    json!({"fieldId": question, "op": "equals", "value": value})
}

fn fallback(from: &str, to: &str) -> Value {
    json!({"name": "__fallback__", "fromPageId": from, "then": {"kind": "jump", "target": to}, "groups": []})
}

fn wide(questions: usize, used: usize) -> String {
    let fields: Vec<Value> = (0..questions).map(|at| question(&format!("w{at}"))).collect();
    let conditions: Vec<Value> = (0..used).map(|at| equals(&format!("w{at}"), "x")).collect();
    text(&json!({
        "pages": [{"id": "a", "fields": fields}, {"id": "b"}, {"id": "c"}],
        "logic": {"rules": [rule("c", "end:x", &conditions)]},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}))
}

fn option_list(count: usize) -> Vec<Value> {
    (0..count)
        .map(|at| json!({"id": format!("option_{at}"), "label": format!("Option number {at}"), "score": 1}))
        .collect()
}

fn options(count: usize) -> String {
    let choice = json!({"id": "q", "type": "single_choice", "label": "Which?", "options": option_list(count)});
    text(&json!({"pages": [{"id": "a", "fields": [choice]}]}))
}

fn option_rules(count: usize) -> String {
    let choice = json!({"id": "q", "type": "single_choice", "label": "Which?", "options": option_list(count)});
    let rules: Vec<Value> = (0..count).map(|at| rule("a", "end:x", &[equals("q", &format!("option_{at}"))])).collect();
    text(&json!({
        "pages": [{"id": "a", "fields": [choice]}],
        "logic": {"rules": rules},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}))
}

fn mapped(count: usize) -> String {
    let page = |at: usize| {
        let mut page = page(at);
        page["fields"][0]["mappedKey"] = json!("name");
        page
    };
    let rules: Vec<Value> = (0..count)
        .flat_map(|at| {
            let id = format!("p{at}");
            [rule("start", &id, &[equals("kind", &id)]), fallback(&id, "end:e")]
        })
        .collect();
    let start = json!({"id": "start", "fields": [question("kind")]});
    let pages: Vec<Value> = [start].into_iter().chain((0..count).map(page)).collect();
    text(&json!({"pages": pages, "logic": {"rules": rules}, "settings": {"endings": [{"id": "e"}]}}))
}

fn plain(count: usize) -> String {
    text(&json!({"pages": pages(count)}))
}

fn order(count: usize) -> String {
    let rules: Vec<Value> = (0..count)
        .map(|at| rule(&format!("p{at}"), "end:x", &[equals(&format!("q{}", at * 7_919 % count), "x")]))
        .collect();
    text(&json!({
        "pages": pages(count),
        "logic": {"rules": rules},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}))
}

fn chain(count: usize) -> String {
    let rules: Vec<Value> =
        (1..count).map(|at| rule(&format!("p{at}"), "end:x", &[equals(&format!("q{}", at - 1), "x")])).collect();
    text(&json!({
        "pages": pages(count),
        "logic": {"rules": rules},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}))
}

fn braces(count: usize) -> String {
    let mut label = String::new();
    for _ in 0..count {
        label.push_str("{}");
    }
    let mut long = String::new();
    for _ in 0..count / 4 {
        write!(long, "{{q0}}").unwrap_or_default();
    }
    let mut form = json!({"pages": pages(2)});
    form["pages"][0]["fields"][0]["label"] = label.into();
    form["pages"][1]["fields"][0]["label"] = long.into();
    text(&form)
}

fn placeholders(count: usize) -> String {
    let mut pages = pages(count);
    for (at, page) in pages.iter_mut().enumerate() {
        page["fields"][0]["required"] = json!(at % 2 == 0);
        page["fields"][0]["label"] = format!("And {{q{}}}?", at * 7_919 % count).into();
    }
    // Almost every page has a fork, so that only the first page and the last page are on every path.
    let rules: Vec<Value> = (0..count.saturating_sub(2))
        .map(|at| rule(&format!("p{at}"), &format!("p{}", at + 2), &[equals(&format!("q{at}"), "x")]))
        .collect();
    text(&json!({"pages": pages, "logic": {"rules": rules}}))
}

fn number_rules(count: usize) -> String {
    let number = json!({"id": "n", "type": "number", "label": "How many?", "required": true});
    let above = |at: usize| json!({"fieldId": "n", "op": "gt", "value": at});
    let rules: Vec<Value> = (0..count).map(|at| rule("a", "end:x", &[above(at)])).collect();
    text(&json!({
        "pages": [{"id": "a", "fields": [number]}],
        "logic": {"rules": rules},
        "settings": {"endings": [{"id": "e"}, {"id": "x"}]}}))
}

fn cycle(count: usize) -> String {
    let rules: Vec<Value> = (1..count)
        .map(|at| rule(&format!("p{at}"), &format!("p{}", at * 7_919 % count), &[equals(&format!("q{at}"), "x")]))
        .collect();
    text(&json!({"pages": pages(count), "logic": {"rules": rules}}))
}
