//! Generates random form records.

use serde_json::{Map, Value, json};

use super::{
    DATES, Draw, ENDINGS, KEYS, LABELS, NUMERIC_OPERATORS, OPERATORS, OPTIONS, PAGES, QUESTIONS, TEXTS, TYPES, list,
    put, wild,
};

fn id(draw: &mut Draw<'_>, tame: bool, all: &[&str], at: usize) -> Value {
    // Occasionally returns a duplicate, blank or unknown id.
    if !tame && draw.rarely(16) { json!(draw.one(&[all[0], "", " ", "zz"])) } else { json!(all[at]) }
}

fn question(draw: &mut Draw<'_>, tame: bool, at: usize) -> Value {
    let mut question = Map::new();
    let own = id(draw, tame, &QUESTIONS, at);
    put(draw, tame, &mut question, "id", own);
    let kind = draw.one(&TYPES);
    put(draw, tame, &mut question, "type", kind.into());
    let label = draw.one(&LABELS);
    put(draw, tame, &mut question, "label", label.into());
    let required = draw.below(3) == 0;
    put(draw, tame, &mut question, "required", required.into());
    if draw.below(3) > 0 {
        let key = draw.one(&KEYS);
        put(draw, tame, &mut question, "mappedKey", key.into());
    }
    for bound in ["min", "max"] {
        if draw.rarely(3) {
            let value = if kind == "date" { json!(draw.one(&DATES)) } else { json!(draw.below(8)) };
            put(draw, tame, &mut question, bound, value);
        }
    }
    let count = draw.below(4);
    let options = list(draw, tame, count, |draw, at| {
        let mut option = Map::new();
        let own = id(draw, tame, &OPTIONS, at);
        put(draw, tame, &mut option, "id", own);
        let label = draw.one(&["A", "B {q0}", ""]);
        put(draw, tame, &mut option, "label", label.into());
        let score = [json!(5), json!(-2), json!(10.0), json!(2.5)][draw.below(4)].clone();
        put(draw, tame, &mut option, "score", score);
        let value = [json!(19.9), json!(9.9), json!(0.7), json!(-1200), json!("5"), json!(null)][draw.below(6)].clone();
        put(draw, tame, &mut option, "value", value);
        Value::Object(option)
    });
    put(draw, tame, &mut question, "options", options);
    Value::Object(question)
}

fn value(draw: &mut Draw<'_>) -> Value {
    match draw.below(8) {
        0..4 => json!(draw.below(9)),
        4 => json!(draw.one(&OPTIONS)),
        5 => json!(draw.one(&["o", "t", "some", "a", "@", "0", "example"])),
        6 if draw.rarely(2) => json!(draw.one(&DATES)),
        6 => json!(draw.one(&TEXTS)),
        _ => json!(draw.below(2) == 0),
    }
}

fn condition(draw: &mut Draw<'_>, tame: bool, questions: usize) -> Value {
    let mut condition = Map::new();
    let field = match draw.below(16) {
        0 => "zz",
        1 | 2 => draw.one(&["$score", "$score", "$score:p0", "$score:p1", "$score:zz", "$scores"]),
        _ => QUESTIONS[draw.below(questions.max(1))],
    };
    put(draw, tame, &mut condition, "fieldId", field.into());
    let op = if field.starts_with('$') { draw.one(&NUMERIC_OPERATORS) } else { draw.one(&OPERATORS) };
    put(draw, tame, &mut condition, "op", op.into());
    let value = if op == "between" || draw.below(6) == 0 {
        let count = if op == "between" { 2 } else { draw.below(4) };
        (0..count).map(|_| value(draw)).collect()
    } else {
        value(draw)
    };
    put(draw, tame, &mut condition, "value", value);
    Value::Object(condition)
}

fn rule(draw: &mut Draw<'_>, tame: bool, pages: usize, questions: usize) -> Value {
    let mut rule = Map::new();
    let fallback = draw.rarely(3);
    put(draw, tame, &mut rule, "name", if fallback { "__fallback__" } else { "r" }.into());
    let from = draw.below(pages.max(1));
    put(draw, tame, &mut rule, "fromPageId", PAGES[from].into());
    let to = draw.below(PAGES.len());
    let target = match draw.below(8) {
        0 => format!("end:{}", ENDINGS[draw.below(3)]),
        1 => "end:zz".to_owned(),
        2 => "zz".to_owned(),
        // Most jumps go forward, because otherwise hardly any walk would reach an ending.
        3..7 => PAGES[to.max(from + 1).min(PAGES.len() - 1)].to_owned(),
        _ => PAGES[to].to_owned(),
    };
    let kind = if draw.rarely(16) { "popup" } else { "jump" };
    put(draw, tame, &mut rule, "then", json!({"kind": kind, "target": target}));
    let count = if fallback && !draw.rarely(6) { 0 } else { draw.below(3) };
    let groups = list(draw, tame, count, |draw, _| {
        let mut group = Map::new();
        let op = draw.one(&["AND", "OR", "AND", "OR", "XOR"]);
        put(draw, tame, &mut group, "op", op.into());
        let count = draw.below(4);
        let conds = list(draw, tame, count, |draw, _| condition(draw, tame, questions));
        put(draw, tame, &mut group, "conds", conds);
        Value::Object(group)
    });
    put(draw, tame, &mut rule, "groups", groups);
    let outer = draw.one(&["AND", "OR", "OR"]);
    put(draw, tame, &mut rule, "outerOp", outer.into());
    Value::Object(rule)
}

/// Generates a form record with at most five pages and at most `most_questions` questions. A tame record has only
/// members of the expected types and unique ids.
pub(crate) fn record(draw: &mut Draw<'_>, tame: bool, most_questions: usize) -> Value {
    let mut parts = Map::new();
    let pages = draw.below(PAGES.len() + 1);
    let mut questions = 0;
    let mut all = Vec::new();
    for at in 0..pages {
        let count = draw.below(4).min(most_questions - questions);
        let first = questions;
        questions += count;
        let mut page = Map::new();
        let own = id(draw, tame, &PAGES, at);
        put(draw, tame, &mut page, "id", own);
        let fields = list(draw, tame, count, |draw, at| question(draw, tame, first + at));
        put(draw, tame, &mut page, "fields", fields);
        all.push(if !tame && draw.rarely(40) { wild(draw) } else { Value::Object(page) });
    }
    put(draw, tame, &mut parts, "pages", all.into());
    let count = draw.below(9);
    let rules = list(draw, tame, count, |draw, _| rule(draw, tame, pages, questions));
    put(draw, tame, &mut parts, "logic", json!({"rules": rules}));
    let mut settings = Map::new();
    let count = draw.below(4);
    let endings = list(draw, tame, count, |draw, at| {
        let mut ending = Map::new();
        let own = id(draw, tame, &ENDINGS, at);
        put(draw, tame, &mut ending, "id", own);
        let message = draw.one(&LABELS);
        put(draw, tame, &mut ending, "message", message.into());
        if draw.rarely(3) {
            put(draw, tame, &mut ending, "createsLead", false.into());
        }
        if draw.rarely(3) {
            put(draw, tame, &mut ending, "kind", "calendar".into());
            put(draw, tame, &mut ending, "calendarSlug", "slug".into());
            put(draw, tame, &mut ending, "metaEvent", json!({"name": "Lead"}));
            let url = draw.one(&["https://a.b/c", "javascript:x"]);
            put(draw, tame, &mut ending, "postBookingRedirectUrl", url.into());
        }
        Value::Object(ending)
    });
    put(draw, tame, &mut settings, "endings", endings);
    put(draw, tame, &mut settings, "verifyEmail", true.into());
    put(draw, tame, &mut settings, "verifyPhone", true.into());
    put(draw, tame, &mut settings, "redirectUrl", "http://x.y".into());
    put(draw, tame, &mut settings, "autoBookDuration", 30.into());
    put(draw, tame, &mut settings, "defaultBookingSlug", "default".into());
    put(draw, tame, &mut parts, "settings", Value::Object(settings));
    put(draw, tame, &mut parts, "confirmation_message", "Bye {name}".into());
    let mut form = if draw.rarely(3) { Map::from_iter([("live_snapshot".to_owned(), parts.into())]) } else { parts };
    put(draw, tame, &mut form, "client_id", "c1".into());
    put(draw, tame, &mut form, "name", "Care".into());
    put(draw, tame, &mut form, "target_pipeline_id", "p1".into());
    match draw.below(8) {
        0 => put(draw, tame, &mut form, "locale", "de".into()),
        1 => put(draw, tame, &mut form, "locale", "en_US".into()),
        2 => put(draw, tame, &mut form, "languages", json!([" ", "de-AT", "en"])),
        3 => put(draw, tame, &mut form, "locale", "en-IN".into()),
        _ => {}
    }
    if pages == 0 {
        let count = draw.below(3);
        let fields = list(draw, tame, count, |draw, at| question(draw, tame, at));
        put(draw, tame, &mut form, "fields", fields);
    }
    let mut record = Map::new();
    put(draw, tame, &mut record, "form", Value::Object(form));
    Value::Object(record)
}
