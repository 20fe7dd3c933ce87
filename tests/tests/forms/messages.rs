//! Tests of the messages and the fixes of findings.

use leadapi_form::Code;
use serde_json::{Value, json};

use crate::{
    findings::check,
    showcase::{clean, jump, question, rule, showcase},
};

/// A message names the page, question, option, ending or rule that it is about, with title and id. The fix is one
/// imperative sentence.
#[test]
fn messages_name_their_part_of_the_form_and_state_the_fix() {
    for code in Code::ALL {
        let (_, record) = showcase(*code);
        for finding in check(&record) {
            let (message, fix) = (&finding.message, &finding.fix);
            let names = names_of_innermost(&record, &finding.pointer);
            assert!(names.is_none_or(|names| names.iter().any(|name| message.contains(name))), "{finding}");
            assert!(!message.ends_with('.') && !message.contains('\n'), "{finding}");
            assert!(fix.starts_with(char::is_uppercase) && !fix.starts_with("No "), "{finding}: {fix}");
            assert!(fix.ends_with('.') && !fix.contains(". "), "{finding}: {fix}");
        }
    }
}

/// If the author probably misspelt a name or used a label in place of an id, the fix contains the name or id that was
/// probably meant.
#[test]
fn the_fix_names_what_the_author_probably_meant() {
    let rule = "/form/logic/rules/0";
    for (pointer, value, fix) in [
        (format!("{rule}/then/target"), "end:thank", "Jump to ending thanks."),
        (format!("{rule}/fromPageId"), "A", "Start the rule from page a."),
        (format!("{rule}/groups/0/conds/0/fieldId"), "knd", "Test question \"Which?\" (kind)."),
        (format!("{rule}/groups/0/conds/0/value"), "two", "Compare with the id of option \"Two\" (o2)."),
        (format!("{rule}/groups/0/conds/0/fieldId"), "$score:A", "Test the score of page a."),
        (format!("{rule}/groups/0/conds/0/op"), "greather_than", "Use the operator `gt`."),
        (format!("{rule}/groups/0/conds/0/op"), "sounds_like", Code::UnknownOperator.fix()),
        (format!("{rule}/outerOp"), "or", "Write `OR`."),
        (format!("{rule}/groups/0/op"), "NOT", Code::UnknownJoin.fix()),
        ("/form/logic/rules/2/groups/0/conds/0/value".to_owned(), "old", "Write a number such as `18`."),
        ("/form/settings/endings/0/message".to_owned(), "Thanks, {nmae}.", "Replace it with \"{name}\"."),
        ("/form/settings/endings/0/message".to_owned(), "Hi {nmae | you}.", "Replace it with \"{name|you}\"."),
        ("/form/pages/1/fields/0/lable".to_owned(), "Age?", "Rename it to `label`."),
        // No name is similar, so the fix is the general fix for the code.
        (format!("{rule}/then/target"), "end:x", Code::TargetEndingMissing.fix()),
    ] {
        let mut record = clean();
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        record.pointer_mut(parent).unwrap()[member] = value.into();
        let findings = check(&record);
        let found: Vec<&str> =
            findings.iter().filter(|found| found.pointer == pointer).map(|found| &*found.fix).collect();
        assert_eq!(found, [fix], "{findings:?}");
    }
}

/// The fix for a value of the wrong kind shows how to write the value.
#[test]
fn the_fix_shows_how_to_write_a_value() {
    for (question_type, op, value, fix) in [
        ("date", "gt", json!("31.12.2003"), "Write a date such as `2026-05-31`."),
        ("date", "between", json!(["2026-05-31"]), "Write an array of the least and the greatest value."),
        ("yes_no", "equals", json!("maybe"), "Write `true` or `false`."),
        ("short_text", "equals", json!(true), Code::ValueMismatch.fix()),
    ] {
        let mut record = clean();
        question(&mut record, 1, json!({"id": "q", "type": question_type, "label": "Q?"}));
        rule(&mut record, jump("b", "end:no", json!([{"fieldId": "q", "op": op, "value": value}])));
        let findings = check(&record);
        let found = findings.iter().find(|finding| finding.code == Code::ValueMismatch).unwrap();
        assert_eq!(found.fix, fix, "{question_type} {op}");
    }
    let mut record = clean();
    record["form"]["pages"][0]["fields"][0]["options"][1] = json!("Two \"2\"");
    let findings = check(&record);
    let found = findings.iter().find(|finding| finding.pointer == "/form/pages/0/fields/0/options/1").unwrap();
    assert_eq!(found.fix, r#"Replace it with an object such as `{"id": "Two \"2\"", "label": "Two \"2\""}`."#);
}

/// A message about a score contains the name of the score, which is the `fieldId` of the condition.
#[test]
fn messages_name_the_score_that_a_condition_tests() {
    let never = "/form/logic/rules/3/groups/0/conds/0";
    for (id, op, value, member, message) in [
        (
            "$score",
            "contains",
            "x",
            "op",
            "applies \"contains\" to score \"$score\", which the operator cannot compare",
        ),
        ("$score", "equals", "x", "value", "compares score \"$score\" with a value that no score can match"),
        ("$score:a", "gt", "x", "value", "compares score \"$score:a\" with a value that no score can match"),
        ("$score:x", "gt", "1", "fieldId", "tests the score of page \"x\", which does not exist"),
        ("$scores", "gt", "1", "fieldId", "tests question \"$scores\", which does not exist"),
    ] {
        let mut record = clean();
        rule(&mut record, jump("c", "end:no", json!([{"fieldId": id, "op": op, "value": value}])));
        let findings = check(&record);
        let found = findings.iter().find(|finding| finding.pointer == format!("{never}/{member}"));
        let found = found.map(|finding| finding.message.as_str());
        assert_eq!(found, Some(format!("rule \"New\" (new) of page c {message}").as_str()), "{findings:?}");
    }
}

/// Finds the innermost page, question, option, ending or rule at the pointer. Returns its name with its id, and its
/// name with its number, which messages use if the id is a duplicate.
fn names_of_innermost(record: &Value, pointer: &str) -> Option<[String; 2]> {
    let kinds =
        [("pages", "page"), ("fields", "question"), ("options", "option"), ("endings", "ending"), ("rules", "rule")];
    let parts = pointer.match_indices('/').map(|(at, _)| &pointer[..at]).chain([pointer]);
    parts.rev().find_map(|part| {
        let (array, index) = part.rsplit_once('/')?;
        let index: usize = index.parse().ok()?;
        let (_, kind) = kinds.iter().find(|(name, _)| array.ends_with(name))?;
        let object = record.pointer(part)?.as_object()?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let number = format!("#{}", index + 1);
        let title = ["title", "label", "name", "heading"].into_iter().find_map(text);
        let name = |id: &str| title.map_or_else(|| format!("{kind} {id}"), |title| format!("{kind} {title:?} ({id})"));
        Some([name(text("id").unwrap_or(&number)), name(&number)])
    })
}
