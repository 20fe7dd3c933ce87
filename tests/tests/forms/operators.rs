//! Tests of proofs and checks of forms with operators, scores, and a host's own operators.

use leadapi_form::{
    Answer, Answers, Code, FormRecord, Operand, Operator, PathEnd, Policy, Proofs, QuestionType, Questionnaire, Step,
    Verdict, Version,
};
use serde_json::{Value, json};

use crate::showcase::{clean, jump, question, rule};

/// Returns a form with one question. A walk ends at `yes` if the conditions hold, and otherwise at `no`.
fn routed(question: &Value, op: &str, conditions: &Value) -> FormRecord {
    let record = json!({"form": {"client_id": "c1",
        "pages": [{"id": "p", "fields": [question]}],
        "logic": {"rules": [{"id": "r", "fromPageId": "p", "then": {"kind": "jump", "target": "end:yes"},
            "groups": [{"op": op, "conds": conditions}]}]},
        "settings": {"endings": [{"id": "no"}, {"id": "yes"}]}}});
    serde_json::from_str(&record.to_string()).unwrap()
}

fn proofs(record: &FormRecord) -> Proofs {
    Questionnaire::compile(record, Version::Draft, &Policy::default()).prove()
}

fn codes(record: &Value) -> Vec<Code> {
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    Questionnaire::compile(&record, Version::Draft, &Policy::default())
        .check()
        .iter()
        .map(|finding| finding.code)
        .collect()
}

#[test]
fn contradictions_and_tautologies_are_found() {
    let text = |op: &str, value: &str| json!({"fieldId": "free", "op": op, "value": value});
    let age = |op: &str, value: Value| json!({"fieldId": "age", "op": op, "value": value});
    let contradictions = [
        json!([age("lt", json!(50)), age("gt", json!(70))]),
        json!([age("between", json!([20, 30])), age("gte", json!(30.5))]),
        json!([age("in", json!([20, 30])), age("not_in", json!([30, 20, 40]))]),
        json!([text("contains", "garden"), text("not_contains", "den")]),
        json!([text("starts_with", "10"), text("starts_with", "12")]),
        json!([text("equals", "garden"), text("ends_with", "house")]),
        json!([{"fieldId": "day", "op": "before", "value": "2026-01-01"},
            {"fieldId": "day", "op": "after", "value": "2026-01-01"}]),
        json!([{"fieldId": "$score", "op": "gt", "value": 2}]),
        json!([{"fieldId": "$score:a", "op": "between", "value": [1.5, 1.9]}]),
    ];
    let tautologies = [
        json!([text("not_equals", "a"), text("not_equals", "b")]),
        json!([age("lte", json!(50)), age("gt", json!(40))]),
        json!([text("not_starts_with", "10"), text("contains", "1")]),
        json!([{"fieldId": "$score", "op": "gte", "value": 1}]),
    ];
    for (join, all, code) in
        [("AND", &contradictions[..], Code::RuleNeverMatches), ("OR", &tautologies[..], Code::RuleAlwaysMatches)]
    {
        for conditions in all {
            let mut record = clean();
            question(&mut record, 1, json!({"id": "free", "type": "short_text", "label": "Why?"}));
            question(&mut record, 1, json!({"id": "day", "type": "date", "label": "When?"}));
            let mut new = jump("b", "end:no", conditions.clone());
            new["groups"][0]["op"] = json!(join);
            rule(&mut record, new);
            assert!(codes(&record).contains(&code), "{code} {conditions}: {:?}", codes(&record));
        }
    }
}

/// For each operator and type of question, either the operator can match, or the check reports that it does not apply.
#[test]
fn every_operator_fits_a_type_or_is_reported() {
    for kind in QuestionType::ALL {
        for operator in Operator::ALL {
            let options = json!([{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]);
            let asked = json!({"id": "q", "type": kind, "label": "Q?", "options": options});
            let values = [json!("a"), json!(3), json!("2026-05-31"), json!(true), json!([2, 3]), json!(null)];
            let values = values.into_iter().chain([json!(["2026-05-31", "2026-06-01"])]);
            let mut ends = Vec::new();
            for value in values {
                let mut condition = json!({"fieldId": "q", "op": operator});
                if !value.is_null() {
                    condition["value"] = value;
                }
                let record = routed(&asked, "AND", &json!([condition]));
                let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
                let never = form.check().iter().any(|finding| {
                    matches!(finding.code, Code::OperatorMismatch | Code::GtOnNonNumber | Code::ValueMismatch)
                        || finding.code == Code::ConditionOptionMissing
                });
                let reached = form.paths(100).paths.iter().any(|path| path.end == PathEnd::Ending(Some("yes")));
                // The check may report one element of an array although other elements can match. If the answer must
                // have a format, such as a URL, the search may not find a matching answer.
                let by_element = [Operator::In, Operator::NotIn].contains(operator);
                let has_syntax = [QuestionType::Email, QuestionType::Phone, QuestionType::Url].contains(kind);
                // A value that no answer can equal is reported, although the negation of the operator always holds.
                let is_impossible = has_syntax && [Operator::NotEquals, Operator::NotEndsWith].contains(operator);
                assert!(!(reached && never) || by_element || is_impossible, "{kind} {operator} {condition}");
                assert!(reached || never || has_syntax, "{kind} {operator} {condition}");
                ends.push(reached);
            }
            let unary = [Operator::IsFilled, Operator::IsEmpty].contains(operator);
            assert!(!unary || ends.iter().all(|reached| *reached), "{kind} {operator}");
        }
    }
}

#[test]
fn proofs_hold_whatever_an_operator_of_the_host_returns() {
    let mut policy = Policy::default();
    policy.operators.add("longer_than", |answer, value| match (answer?, value?) {
        (Answer::Text(text), Operand::Number(length)) => Some(text.chars().count() > length.as_i64()?.try_into().ok()?),
        _ => None,
    });
    // A host cannot replace a built-in operator.
    policy.operators.add("begins_with", |_, _| Some(true));
    let asked = json!({"id": "q", "type": "short_text", "label": "Q?"});
    let record = routed(&asked, "AND", &json!([{"fieldId": "q", "op": "longer_than", "value": 3}]));
    let form = Questionnaire::compile(&record, Version::Draft, &policy);
    let end = |answers: Answers| format!("{:?}", form.walk(&answers).outcome());
    assert!(end(Answers::new().with("q", "Anna")).contains("\"yes\""));
    assert!(end(Answers::new().with("q", "Ann")).contains("\"no\""));
    let answers = Answers::new();
    assert!(form.walk(&answers).steps().all(Step::is_uncertain));
    let proofs = form.prove();
    assert_eq!((proofs.endings, proofs.undecided), (Verdict::Unknown, vec![0]));
    assert!(form.check().iter().all(|finding| finding.code != Code::UnknownOperator));
    let record = routed(&asked, "AND", &json!([{"fieldId": "q", "op": "begins_with", "value": "x"}]));
    let form = Questionnaire::compile(&record, Version::Draft, &policy);
    assert!(format!("{:?}", form.walk(&Answers::new().with("q", "Ann")).outcome()).contains("\"no\""));
}

/// The search finds no answer that matches this pattern and contains this word, so the verdict is unknown.
#[test]
fn answers_without_an_example_are_uncertain() {
    let contains = |value: &str| json!([{"fieldId": "q", "op": "contains", "value": value}]);
    let hard = json!({"id": "q", "type": "short_text", "label": "Q?", "pattern": "^(..)*a(...)*bcd(.....)*$"});
    assert_eq!(proofs(&routed(&hard, "AND", &contains("uvw"))).endings, Verdict::Unknown);
    let free = json!({"id": "q", "type": "short_text", "label": "Q?"});
    assert_eq!(proofs(&routed(&free, "AND", &contains("uvw"))).endings, Verdict::Proved);
    let mail = json!({"id": "q", "type": "email", "label": "Q?", "required": true});
    let ends_with = |value: &str| json!([{"fieldId": "q", "op": "ends_with", "value": value}]);
    assert_eq!(proofs(&routed(&mail, "AND", &ends_with("@example.org"))).endings, Verdict::Proved);
    // No email address contains a space, but the search cannot prove that.
    assert_eq!(proofs(&routed(&mail, "AND", &contains("a b"))).endings, Verdict::Unknown);
}

/// The search tries each combination of the conditions that an answer can meet. Twelve independent conditions have more
/// combinations than the search tries, so the verdict is unknown.
#[test]
fn too_many_parts_of_a_text_are_uncertain() {
    let free = json!({"id": "q", "type": "short_text", "label": "Q?"});
    let parts = |count: u32| -> Value {
        (0..count).map(|at| json!({"fieldId": "q", "op": "contains", "value": format!("part {at}.")})).collect()
    };
    assert_eq!(proofs(&routed(&free, "AND", &parts(8))).endings, Verdict::Proved);
    assert_eq!(proofs(&routed(&free, "AND", &parts(12))).endings, Verdict::Unknown);
}

/// A host can send a number or a boolean for a question of any type, and the check must agree with the walk.
#[test]
fn text_operators_compare_the_text_of_numbers_and_booleans() {
    for (answer, op, value, holds) in [
        (json!(2.5), "contains", "5", true),
        (json!(2.5), "not_contains", "5", false),
        (json!(2.5), "equals", "2.5", true),
        (json!(10115), "starts_with", "10", true),
        (json!(10115), "not_starts_with", "10", false),
        (json!(10115), "ends_with", "15", true),
        (json!(true), "contains", "ru", true),
        (json!(false), "not_ends_with", "se", false),
        (json!(["10"]), "contains", "10", false),
        (json!({"a": 10}), "contains", "10", false),
    ] {
        for kind in ["hidden", "matrix"] {
            let asked = json!({"id": "q", "type": kind, "label": "Q?"});
            let record = routed(&asked, "AND", &json!([{"fieldId": "q", "op": op, "value": value}]));
            let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
            let answers: Answers = serde_json::from_str(&json!({"q": answer}).to_string()).unwrap();
            let walk = format!("{:?}", form.walk(&answers).outcome());
            assert_eq!(walk.contains("\"yes\""), holds, "{kind} {answer} {op} {value}");
            assert_eq!(form.prove().endings, Verdict::Proved, "{kind} {op} {value}");
        }
    }
    // Only a number is greater than 100, and such a number can contain the digit 7, so the proof must not state that
    // the rule never matches.
    let asked = json!({"id": "q", "type": "hidden", "label": "Q?"});
    let both = json!([{"fieldId": "q", "op": "gt", "value": 100}, {"fieldId": "q", "op": "contains", "value": "7"}]);
    assert!(!matches!(proofs(&routed(&asked, "AND", &both)).endings, Verdict::Refuted(_)));
}

/// Case, `_`, `-` and spaces in the name of an operator are ignored.
#[test]
fn every_spelling_of_an_operator_means_the_same() {
    let values = [json!(false), json!(true), json!("a"), json!(3), json!(["a", 3]), json!(null)];
    let answers = [json!(null), json!("a"), json!(3), json!(true)];
    let asked = json!({"id": "q", "type": "hidden", "label": "Q?"});
    for name in Operator::ALL.iter().flat_map(|op| op.aliases().iter().copied().chain([op.as_str()])) {
        let split = |separator: &str| {
            let (start, end) = name.split_at(name.len() / 2);
            format!("{start}{separator}{end}")
        };
        for value in &values {
            let meaning = |name: &str| {
                let mut condition = json!({"fieldId": "q", "op": name});
                if !value.is_null() {
                    condition["value"] = value.clone();
                }
                let record = routed(&asked, "AND", &json!([condition]));
                let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
                let ends = answers.each_ref().map(|answer| {
                    let answers: Answers = serde_json::from_str(&json!({"q": answer}).to_string()).unwrap();
                    format!("{:?}", form.walk(&answers).outcome())
                });
                let codes: Vec<Code> = form.check().iter().map(|finding| finding.code).collect();
                (ends, codes)
            };
            let expected = meaning(name);
            for other in [name.to_uppercase(), split("_"), split("-"), split(" ").to_uppercase()] {
                assert_eq!(meaning(&other), expected, "{other} {value}");
            }
        }
    }
}
