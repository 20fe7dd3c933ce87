//! Tests of forms like those that agencies use. Each file in `data/forms` contains a form, answers and the expected
//! leads.

use std::fs;

use leadapi_form::{Code, FormRecord, Policy, Question, QuestionType, Questionnaire, Severity, Version};
use leadapi_form_harness::{Naive, report_of};
use serde_json::Value;

/// Returns the files, each with its name.
fn forms() -> Vec<(String, Value)> {
    let files = fs::read_dir(crate::repository("tests/data/forms")).unwrap().map(|file| file.unwrap().path());
    let mut forms: Vec<(String, Value)> = files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), serde_json::from_str(&text).unwrap())
        })
        .collect();
    forms.sort_by(|one, other| one.0.cmp(&other.0));
    forms
}

fn policy(case: &Value) -> Policy {
    let mut policy = Policy::default();
    policy.locale = case["locale"].as_str().map(str::to_owned);
    policy.score_in_notes = case["policy"]["score_in_notes"] == true;
    policy
}

/// Compares the expected members of a report with the actual ones.
fn compare(what: &str, expected: &Value, report: &Value, differences: &mut Vec<String>) {
    for (key, expected) in expected.as_object().unwrap() {
        if &report[key] != expected {
            differences.push(format!("{what}: {key} is {} instead of {expected}", report[key]));
        }
    }
}

#[test]
fn each_kind_of_form_makes_the_lead_that_its_agency_wants() {
    let mut differences = Vec::new();
    for (file, form) in forms() {
        let record: FormRecord = serde_json::from_value(form["record"].clone()).unwrap();
        for case in form["cases"].as_array().unwrap() {
            let what = format!("{file}, {}", case["name"].as_str().unwrap());
            let compiled = Questionnaire::compile(&record, Version::Live, &policy(case));
            let answers = serde_json::from_str(&case["answers"].to_string()).unwrap();
            compare(&what, &case["expect"], &report_of(&compiled, &answers), &mut differences);
            if case["locale"].is_null() {
                let report = Naive::new(&form["record"], false)
                    .with_score_in_notes(policy(case).score_in_notes)
                    .report(&case["answers"]);
                compare(&format!("{what}, by the naive interpreter"), &case["expect"], &report, &mut differences);
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_check_has_no_complaint_about_these_forms() {
    for (file, form) in forms() {
        let record: FormRecord = serde_json::from_value(form["record"].clone()).unwrap();
        let findings = Questionnaire::compile(&record, Version::Live, &Policy::default()).check();
        // A number question for a phone number is accepted, but not recommended.
        let mut complaints = findings
            .iter()
            .filter(|finding| finding.severity() < Severity::Note && finding.code != Code::PhoneKeyOnOtherType);
        assert_eq!(complaints.next(), None, "{file}");
    }
}

#[test]
fn these_forms_use_every_question_type() {
    let mut unused = QuestionType::ALL.to_vec();
    for (_, form) in forms() {
        let record: FormRecord = serde_json::from_value(form["record"].clone()).unwrap();
        let pages = record.form.get().unwrap().pages.items().flat_map(|page| page.fields.items());
        let types: Vec<QuestionType> = pages.filter_map(Question::question_type).collect();
        unused.retain(|kind| !types.contains(kind));
    }
    assert_eq!(unused, []);
}
