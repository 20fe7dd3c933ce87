//! Compares FORMS.md with the types of questions and the operators.

use std::fmt::Write;

use leadapi_form::{Answers, FormRecord, Operator, Policy, Question, QuestionType, Questionnaire, Version};

const DOCUMENT: &str = include_str!("../../../leadapi-core/form/FORMS.md");

/// Returns the rows of the table under a heading, each split into its cells.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = DOCUMENT.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(1).map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn the_record_in_forms_md_has_no_findings_and_makes_a_lead() {
    let (_, after) = DOCUMENT.split_once("```json\n").unwrap();
    let record: FormRecord = serde_json::from_str(after.split("```").next().unwrap()).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    assert_eq!(form.check(), []);
    for (who, lead) in [("parent", true), ("me", false)] {
        let answers = Answers::new().with("q_who", who).with("q_hours", 3);
        let answers = answers.with("q_name", "Ann").with("q_email", "ann@example.org");
        assert_eq!(form.walk(&answers).lead().is_ok(), lead, "{who}");
    }
}

#[test]
fn forms_md_lists_every_question_type() {
    let listed: Vec<String> = table("Question types").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let types: Vec<String> = QuestionType::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(listed, types);
}

#[test]
fn forms_md_lists_every_alias() {
    let mut rows = String::new();
    for kind in QuestionType::ALL.iter().filter(|kind| !kind.aliases().is_empty()) {
        let names: Vec<String> = kind.aliases().iter().map(|name| format!("`{name}`")).collect();
        writeln!(rows, "| `{kind}` | {} |", names.join(", ")).unwrap();
    }
    assert!(DOCUMENT.contains(&rows), "FORMS.md should contain:\n{rows}");
}

#[test]
fn forms_md_lists_every_operator_and_its_aliases() {
    let listed: Vec<String> = table("Operators").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let operators: Vec<String> = Operator::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(listed[..operators.len()], operators);
    let mut rows = String::new();
    for operator in Operator::ALL.iter().filter(|operator| !operator.aliases().is_empty()) {
        let names: Vec<String> = operator.aliases().iter().map(|name| format!("`{name}`")).collect();
        writeln!(rows, "| `{operator}` | {} |", names.join(", ")).unwrap();
    }
    assert!(DOCUMENT.contains(&rows), "FORMS.md should contain:\n{rows}");
}

#[test]
fn forms_md_describes_every_member_that_limits_or_formats_answers() {
    for member in Question::KEYS {
        let described = DOCUMENT.contains(&format!("`{member}`"));
        let known = ["id", "type", "label", "required", "options", "mappedKey", "mappedKeyManual"].contains(member);
        assert!(described || known, "{member}");
    }
}
