//! Tests of members of other products that change who must answer what.

use leadapi_form::{Code, Policy, Questionnaire, Verdict, Version};
use serde_json::{Value, json};

use crate::received::{form, record};

#[test]
fn a_member_of_another_product_makes_proofs_uncertain_and_is_a_warning() {
    let name = |member: &str, value: Value| {
        let mut question =
            json!({"id": "n", "type": "short_text", "label": "Name?", "required": true, "mappedKey": "name"});
        question[member] = value;
        form(&json!([question]))
    };
    for (member, value, is_proved) in [
        ("title", json!("x"), true),
        ("hidden", json!(false), true),
        ("visible", json!(true), true),
        ("hidden", json!(true), false),
        ("visibleIf", json!("{age} > 3"), false),
        ("visible_if", json!({"q": 1}), false),
        ("requiredIf", json!("{age} > 3"), false),
        ("isRequired", json!(true), true),
        ("mandatory", json!(true), true),
    ] {
        let record = record(&name(member, value.clone()));
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let expected = if is_proved { Verdict::Proved } else { Verdict::Unknown };
        assert_eq!(form.prove().named, expected, "{member}: {value}");
        let findings = form.check();
        let warned = findings.iter().any(|finding| finding.code == Code::UnsupportedMember);
        assert_eq!(warned, !is_proved, "{member}: {findings:?}");
    }
    // All questions of a hidden page may be unanswered, and a counterexample still refutes.
    let question = json!({"id": "n", "type": "short_text", "label": "Name?", "required": true, "mappedKey": "name"});
    let page = json!({"client_id": "c1", "pages": [{"id": "p", "visibleIf": "{age} > 3", "fields": [question]}]});
    let record = record(&page);
    let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    let proofs = form.prove();
    assert_eq!(proofs.named, Verdict::Unknown);
    assert!(matches!(proofs.contactable, Verdict::Refuted(_)));
    let finding = form.check().into_iter().find(|finding| finding.code == Code::UnsupportedMember).unwrap();
    assert!(finding.message.contains("cannot continue without an answer"), "{}", finding.message);
}

#[test]
fn a_warning_about_a_member_of_another_product_states_what_really_differs() {
    let question = |required: bool, member: &str, value: Value| {
        let mut question = json!({"id": "n", "type": "short_text", "label": "Name?", "required": required});
        question[member] = value;
        json!({"fields": [question]})
    };
    let page = |required: bool| {
        let question = json!({"id": "n", "type": "short_text", "label": "Name?", "required": required});
        json!({"pages": [{"id": "p", "visibleIf": "x", "fields": [question]}]})
    };
    let option = |member: &str| {
        let options = json!([{"id": "o", "label": "One", member: true}, {"id": "t", "label": "Two"}]);
        json!({"fields": [{"id": "n", "type": "dropdown", "label": "Which?", "options": options}]})
    };
    for (form, message) in [
        (question(true, "isRequired", json!(true)), None),
        (question(true, "mandatory", json!(true)), None),
        (question(false, "optional", json!(true)), None),
        (question(false, "isRequired", json!(true)), Some("visitors can leave question \"Name?\" (n) unanswered")),
        (question(true, "optional", json!(true)), Some("all visitors must answer question \"Name?\" (n)")),
        (question(true, "requiredIf", json!("x")), Some("all visitors must answer question \"Name?\" (n)")),
        (page(true), Some("see it, and they cannot continue without an answer")),
        (page(false), Some("should be hidden see it")),
        (option("isRequired"), None),
        (option("other"), Some("cannot give an answer to question \"Which?\" (n) that is not one of its options")),
        (option("hidden"), Some("visitors for whom option \"One\" (o) should be hidden see it")),
    ] {
        let record = record(&form);
        let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
        let found = findings.iter().find(|finding| finding.code == Code::UnsupportedMember);
        let is_expected = match (found, message) {
            (Some(found), Some(message)) => found.message.ends_with(message),
            (found, message) => found.is_none() && message.is_none(),
        };
        assert!(is_expected, "{form}: {found:?}");
    }
}

#[test]
fn a_member_of_an_option_makes_proofs_uncertain() {
    for (member, value, is_proved) in
        [("title", json!("x"), true), ("hidden", json!(true), false), ("other", json!(true), false)]
    {
        let mut option = json!({"id": "o", "label": "One"});
        option[member] = value;
        let options = json!([option, {"id": "t", "label": "Two"}]);
        let question = json!({"id": "n", "type": "dropdown", "label": "Which?", "required": true, "options": options,
            "mappedKey": "name"});
        let record = record(&form(&json!([question])));
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let expected = if is_proved { Verdict::Proved } else { Verdict::Unknown };
        assert_eq!(form.prove().named, expected, "{member}");
    }
}
