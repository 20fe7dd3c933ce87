//! Tests of what an agency receives from forms that were written for other products.

use leadapi_form::{Answers, Code, Escape, FormRecord, Outcome, Policy, Questionnaire, Severity, Version};
use serde_json::{Value, json};

pub(crate) fn record(form: &Value) -> FormRecord {
    serde_json::from_str(&json!({ "form": form }).to_string()).unwrap()
}

pub(crate) fn form(questions: &Value) -> Value {
    json!({"client_id": "c1", "fields": questions})
}

#[test]
fn documented_members_are_not_unknown() {
    let options = json!([{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]);
    for (kind, member, is_known) in [
        ("rating", "range", true),
        ("rating", "rateMax", true),
        ("rating", "steps", true),
        ("rating", "total", true),
        ("radio", "multiple", true),
        ("select", "allow_multiple_selection", true),
        ("single_choice", "multiple", false),
        ("short_text", "steps", false),
        ("rating", "multiple", false),
    ] {
        let value = if kind == "rating" { json!(7) } else { json!(true) };
        let mut question = json!({"id": "q", "type": kind, "label": "Q?", "options": options});
        question[member] = value;
        let record = record(&form(&json!([question])));
        let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
        let unknown = findings.iter().filter(|finding| finding.code == Code::UnknownMember).count();
        assert_eq!(unknown, usize::from(!is_known), "{kind} {member}: {findings:?}");
    }
}

#[test]
fn email_domains_ignore_case() {
    for (answer, op, value, holds) in [
        ("ann@GMAIL.com", "ends_with", "@gmail.com", true),
        ("ann@gmail.com", "ends_with", "Gmail.COM", true),
        ("ann@gmail.com", "equals", "ann@Gmail.com", true),
        ("Ann@gmail.com", "equals", "ann@gmail.com", false),
        ("ann@gmail.com", "in", "ann@GMAIL.com", true),
        ("ANN@GMAIL.com", "contains", "Gmail", true),
        ("Ann@gmail.com", "contains", "Ann", true),
        ("ann@gmail.com", "contains", "n@G", true),
        ("Ann@gmail.com", "starts_with", "ann", false),
        ("ann@GMAIL.com", "starts_with", "ann@g", true),
        ("ann@GMAIL.com", "not_ends_with", "@gmail.com", false),
    ] {
        let value = if op == "in" { json!([value]) } else { json!(value) };
        let form = json!({"pages": [{"id": "a", "fields": [{"id": "q", "type": "email"}]}, {"id": "b"}],
            "logic": {"rules": [{"fromPageId": "a", "then": {"kind": "jump", "target": "end:e"},
                "groups": [{"conds": [{"fieldId": "q", "op": op, "value": value}]}]}]},
            "settings": {"endings": [{"id": "e"}]}});
        let record = record(&form);
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let answers = Answers::new().with("q", answer);
        assert_eq!(form.walk(&answers).steps().count() == 1, holds, "{answer} {op} {value}");
    }
}

#[test]
fn answers_never_decide_where_a_redirect_leads() {
    for (url, redirect, finding) in [
        ("https://x.example/t?e={email}&n={name|a b}", Some("https://x.example/t?e=ann%40a.example&n=a%20b"), None),
        ("https://x.example/{email}", Some("https://x.example/ann%40a.example"), None),
        ("https://x.example?{phone}", Some("https://x.example?"), None),
        ("https://x.example/{emial}", Some("https://x.example/{emial}"), Some(Code::UnknownPlaceholder)),
        ("https://{email}/", None, Some(Code::BadRedirectUrl)),
        ("https://x.example{email}/", None, Some(Code::BadRedirectUrl)),
        ("{email}://x.example/", None, Some(Code::BadRedirectUrl)),
        ("https://x.example:{email}/", None, Some(Code::BadRedirectUrl)),
        ("https://x.example/a b?{email}", None, Some(Code::BadRedirectUrl)),
        ("https://x.example/ {email}", None, Some(Code::BadRedirectUrl)),
        ("//x.example/{email}", None, Some(Code::BadRedirectUrl)),
    ] {
        let form = json!({"client_id": "c1", "settings": {"redirectUrl": url}, "fields": [
            {"id": "m", "type": "email", "mappedKey": "Email"}, {"id": "p", "type": "phone", "mappedKey": "phone"},
            {"id": "n", "type": "short_text", "mappedKey": "name"}]});
        let record = record(&form);
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let answers = Answers::new().with("m", "ann@a.example");
        let Outcome::Finished(finish) = form.walk(&answers).outcome() else { panic!("{url}") };
        assert_eq!(finish.redirect.as_deref(), redirect, "{url}");
        let found = form.check().into_iter().find(|found| found.pointer == "/form/settings/redirectUrl");
        assert_eq!(found.map(|found| found.code), finding, "{url}");
    }
}

#[test]
fn impossible_values_of_email_questions_are_reported() {
    for (op, value, is_reported) in [
        ("equals", "bad", true),
        ("equals", "ann@a.example", false),
        ("ends_with", "x@", true),
        ("ends_with", "@x.example", false),
        ("contains", "x@", false),
    ] {
        let form = json!({"pages": [{"id": "a", "fields": [{"id": "q", "type": "email"}]}, {"id": "b"}],
            "logic": {"rules": [{"fromPageId": "a", "then": {"kind": "jump", "target": "b"},
                "groups": [{"conds": [{"fieldId": "q", "op": op, "value": value}]}]}]}});
        let record = record(&form);
        let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
        let reported = findings.iter().any(|finding| finding.code == Code::ValueMismatch);
        assert_eq!(reported, is_reported, "{op} {value}");
    }
}

#[test]
fn an_amount_of_money_is_no_phone_number() {
    let question = json!([{"id": "q", "type": "number", "currency": "EUR", "label": "Q?", "mappedKey": "phone"},
        {"id": "n", "type": "short_text", "mappedKey": "name"}]);
    let record = record(&form(&question));
    let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    let lead = form.walk(&Answers::new().with("q", 100).with("n", "Ann")).lead().unwrap().lead;
    assert_eq!((lead.phone, lead.notes.as_deref()), (None, Some("Q?: 100.00 €")));
}

#[test]
fn a_rule_that_always_matches_is_reported() {
    let rule = |question: &str, op: &str| {
        json!({"fromPageId": "b", "then": {"kind": "jump", "target": "d"},
            "groups": [{"conds": [{"fieldId": question, "op": op}]}]})
    };
    let page = |id: &str| json!({"id": id, "fields": [{"id": format!("q_{id}"), "type": "email", "required": true}]});
    for (rules, codes) in [
        (vec![rule("q_a", "is_filled")], vec![Code::RuleAlwaysMatches]),
        (vec![rule("q_c", "is_empty")], vec![Code::RuleAlwaysMatches]),
        (vec![rule("q_b", "is_filled")], vec![]),
        (vec![rule("q_a", "is_filled"), rule("q_a", "is_filled")], vec![Code::RuleShadowed, Code::RuleAlwaysMatches]),
    ] {
        let form = json!({"pages": [page("a"), page("b"), page("c"), page("d")], "logic": {"rules": rules}});
        let record = record(&form);
        let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
        let all = [Code::RuleAlwaysMatches, Code::RuleShadowed];
        let mut found: Vec<Code> =
            findings.iter().map(|finding| finding.code).filter(|code| all.contains(code)).collect();
        found.sort_unstable();
        let mut codes = codes;
        codes.sort_unstable();
        assert_eq!(found, codes, "{form}");
    }
}

#[test]
fn another_name_of_a_key_counts_only_if_no_question_has_the_key() {
    for (keys, phone, attributes, filled) in [
        (["mobile", "phone"], "222", vec![("mobile", "111")], "222 111 222"),
        (["mobile", "Phone"], "222", vec![("mobile", "111")], "222 111 222"),
        (["phone", "mobile"], "111", vec![("mobile", "222")], "111 222 111"),
        (["mobile", "other"], "111", vec![("other", "222")], "111 111 111"),
        (["mobile", "Tel"], "111", vec![("Tel", "222")], "222 222 222"),
    ] {
        let [first, second] = keys;
        let form = json!({"client_id": "c1", "pages": [
            {"id": "a", "fields": [{"id": "q", "type": "short_text", "mappedKey": first}]},
            {"id": "b", "fields": [{"id": "r", "type": "short_text", "mappedKey": second}]}]});
        let record = record(&form);
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let answers = Answers::new().with("q", "111").with("r", "222");
        let walk = form.walk(&answers);
        let made = walk.lead().unwrap();
        assert_eq!(made.lead.phone.as_deref(), Some(phone), "{keys:?}");
        let found: Vec<_> = made.attributes.iter().map(|found| (found.key.unwrap_or_default(), &*found.text)).collect();
        assert_eq!(found, attributes, "{keys:?}");
        assert_eq!(walk.fill("{phone} {mobile} {Tel}", "-", Escape::Plain), filled, "{keys:?}");
    }
}

#[test]
fn a_name_of_a_key_that_does_not_count_is_not_misspelt() {
    let question = |id: &str, key: &str| json!({"id": id, "type": "short_text", "label": "Q?", "mappedKey": key});
    let record = record(&form(&json!([question("a", "organisation"), question("b", "business_name")])));
    let findings = Questionnaire::compile(&record, Version::Draft, &Policy::default()).check();
    let wrong = findings.iter().find(|found| [Code::MisspeltKey, Code::MappedTwice].contains(&found.code));
    assert_eq!(wrong, None);
}

#[test]
fn a_placement_that_does_not_exist_is_an_error() {
    let pipelines = json!([{"id": "p1", "name": "Sales", "stages": [{"id": "s1", "name": "New", "position": 1}],
        "created_at": "2026-01-12T09:30:00.000Z"}]);
    let mut policy = Policy::default();
    policy.pipelines = Some(serde_json::from_value(pipelines).unwrap());
    for (pipeline, stage, codes) in [
        (json!("p1"), json!("s1"), vec![]),
        (json!(null), json!("s1"), vec![]),
        (json!("p2"), json!(null), vec![(Code::UnknownPipeline, Severity::Error)]),
        (json!("p1"), json!("s2"), vec![(Code::UnknownStage, Severity::Error)]),
        (json!(null), json!("s2"), vec![(Code::UnknownStage, Severity::Error)]),
        (
            json!("two words"),
            json!("s2"),
            vec![(Code::UnknownStage, Severity::Error), (Code::PipelineMalformed, Severity::Warning)],
        ),
    ] {
        let ending = json!({"id": "e", "pipelineId": pipeline, "stageId": stage});
        let record = record(&json!({"settings": {"endings": [ending]}}));
        let findings = Questionnaire::compile(&record, Version::Draft, &policy).check();
        let placed = findings.iter().filter(|found| found.pointer.starts_with("/form/settings/endings/0/"));
        let placed = placed.filter(|found| found.code != Code::CreatesLeadAbsent);
        let mut found: Vec<_> = placed.map(|found| (found.code, found.severity())).collect();
        found.sort_unstable();
        assert_eq!(found, codes, "{ending}");
    }
}
