//! Tests of the output of `form check` and `form explain`: text, JSON and SARIF.

use std::{fs, process::Command};

use serde_json::{Map, Value, json};

/// A form with an error, a warning that depends on answers, and a note. Its text has a character outside the Basic
/// Multilingual Plane before the error.
const FORM: &str = r#"{"form": {"client_id": "c1",
  "pages": [
    {"id": "p1", "title": "Your budget", "fields": [
      {"id": "q", "type": "number", "label": "How much?"},
      {"id": "n", "type": "short_text", "label": "Name?", "required": true, "mappedKey": "name"}]},
    {"id": "p2", "title": "😀 Rooms"}],
  "logic": {"rules": [
    {"id": "r", "name": "Small 😀", "fromPageId": "p1", "then": {"kind": "jump", "target": "p3"},
      "groups": [{"op": "AND", "conds": [{"fieldId": "q", "op": "gt", "value": 5}]}]}]}
}}"#;

struct Ran {
    code: i32,
    out: String,
    error: String,
}

/// Runs a `form` command in a folder with the file `my form.json`.
fn form(args: &[&str], text: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my form.json"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_leadapi"));
    let output = command.current_dir(folder.path()).arg("form").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), error: text(output.stderr) }
}

#[test]
fn the_text_names_each_part_with_its_location_and_fix() {
    let ran = form(&["check", "my form.json"], FORM);
    let expected = "\
error[target-page-missing]: rule \"Small 😀\" (r) of page \"Your budget\" (p1) jumps to page \"p3\", which does not exist
  --> my form.json:8:91 (/form/logic/rules/0/then/target)
  help: Choose another target, or remove the rule.

warning[lead-without-contact]: some answers create a lead without an email address or a phone number
  --> my form.json:1:10 (/form)
  help: On every path, require a question that is mapped to `email` or `phone`.
  answers: {\"n\":\"something\"}

note[page-without-questions]: page \"😀 Rooms\" (p2) has no questions
  --> my form.json:6:5 (/form/pages/1)
  help: Add a question, unless visitors are only meant to read the page.
";
    assert_eq!((ran.code, ran.out.as_str()), (1, expected), "{}", ran.error);
    assert_eq!(ran.error, "leadapi: my form.json has 1 error, 1 warning and 1 note\n");
}

#[test]
fn the_json_of_a_finding_has_documented_members() {
    let ran = form(&["check", "--json", "my form.json"], FORM);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        found[0],
        json!({
            "code": "target-page-missing",
            "severity": "error",
            "pointer": "/form/logic/rules/0/then/target",
            "line": 8,
            "column": 91,
            "message": "rule \"Small 😀\" (r) of page \"Your budget\" (p1) jumps to page \"p3\", which does not exist",
            "fix": "Choose another target, or remove the rule.",
            "witness": null,
            "count": 1,
        })
    );
    assert_eq!((ran.code, &found[1]["witness"]), (1, &json!({"n": "something"})));
}

#[test]
fn the_sarif_log_points_to_the_file_and_explains_its_rules() {
    let ran = form(&["check", "--sarif", "my form.json"], FORM);
    let log: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &log["version"]), (1, &json!("2.1.0")));
    let run = &log["runs"][0];
    let (rules, results) = (run["tool"]["driver"]["rules"].as_array().unwrap(), run["results"].as_array().unwrap());
    assert_eq!((rules.len(), results.len()), (3, 3));
    let location = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "my%20form.json");
    assert_eq!(location["region"], json!({"startLine": 8, "startColumn": 91, "endLine": 8, "endColumn": 95}));
    for result in results {
        keys(result, &["ruleId", "ruleIndex", "level", "message", "locations", "properties"]);
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!((&rule["id"], &rule["defaultConfiguration"]["level"]), (&result["ruleId"], &result["level"]));
        assert!(result["message"]["text"].as_str().unwrap().ends_with('.'));
    }
    keys(&log, &["$schema", "version", "runs"]);
    keys(run, &["tool", "columnKind", "results"]);
    let clean = form(&["check", "--sarif", "my form.json"], &fixed());
    let log: Value = serde_json::from_str(&clean.out).unwrap();
    assert_eq!((clean.code, &log["runs"][0]["results"]), (0, &json!([])));
}

/// Checks that an object has exactly these members.
fn keys(object: &Value, expected: &[&str]) {
    let object: &Map<String, Value> = object.as_object().unwrap();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert!(object.keys().eq(expected), "{object:?}");
}

/// Returns a form without findings.
fn fixed() -> String {
    let form =
        FORM.replace("\"p3\"", "\"p2\"").replace("\"short_text\"", "\"email\"").replace("\"name\"}", "\"email\"}");
    let (form, _) = form.split_once(",\n    {\"id\": \"p2\"").unwrap();
    format!("{form}], \"settings\": {{\"endings\": []}}}}}}")
}

#[test]
fn the_formats_exclude_each_other() {
    let ran = form(&["check", "--sarif", "--json", "my form.json"], FORM);
    assert!(ran.code == 2 && ran.error.contains("cannot be used with"), "{}", ran.error);
    let ran = form(&["check", "--sarif", "absent.json"], FORM);
    assert_eq!((ran.code, ran.out.as_str()), (4, ""));
}

#[test]
fn a_code_is_explained() {
    let ran = form(&["explain", "label-empty"], FORM);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "warning[label-empty]: A question has no label.\n  help: Add a label.\n")
    );
    let ran = form(&["explain", "--json"], FORM);
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(all.as_array().unwrap().len() > 70 && all[0]["code"] == "duplicate-page-id", "{all}");
    assert_eq!(form(&["explain"], FORM).out.lines().count(), all.as_array().unwrap().len());
    let ran = form(&["explain", "label-emty"], FORM);
    assert!(ran.code == 2 && ran.error.contains("'label-empty'"), "{}", ran.error);
}
