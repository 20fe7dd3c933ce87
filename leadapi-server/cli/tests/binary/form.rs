//! Tests of the `form` commands that read a form from a file and need no store.

use std::{
    fs,
    process::{Command, Output},
    time::Instant,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::wait::TIMEOUT;

const SAMPLE: &str = include_str!("../../../../leadapi-core/model/tests/data/form.json");

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

struct Ran {
    code: i32,
    out: String,
    error: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

fn form(args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_leadapi")).arg("form").args(args).output().unwrap();
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: status.code().unwrap(), out: text(stdout), error: text(stderr) }
}

/// Returns a form with two pages. A rule whose condition has the operator `op` jumps from the first page to the ending
/// `no`.
fn routed(op: &str) -> Value {
    json!({"form": {"client_id": "c1", "name": "Care",
        "pages": [
            {"id": "zip", "title": "Where?", "fields": [
                {"id": "q_zip", "type": "short_text", "label": "Postal code?", "required": true}]},
            {"id": "you", "title": "You", "fields": [
                {"id": "q_name", "type": "short_text", "label": "Name?", "required": true, "mappedKey": "name"},
                {"id": "q_mail", "type": "email", "label": "Address?", "required": true, "mappedKey": "email"},
                {"id": "q_why", "type": "short_text", "label": "Why, {name}?", "mappedKey": "reason"}]}],
        "logic": {"rules": [{"id": "r", "name": "Not here", "fromPageId": "zip",
            "then": {"kind": "jump", "target": "end:no"}, "outerOp": "OR",
            "groups": [{"op": "AND", "conds": [{"fieldId": "q_zip", "op": op, "value": "9"}]}]}]},
        "settings": {"endings": [
            {"id": "thanks", "title": "Thanks", "message": "Thank you, {name}.", "createsLead": true},
            {"id": "no", "message": "Sorry.", "createsLead": false}]}}})
}

#[test]
fn form_commands_work_on_the_sample() {
    let folder = Folder::new();
    let good = folder.file("form.json", SAMPLE);
    let answers = folder.file("answers.json", r#"{"q_recipient":"o_self","q_age":81,"q_need":"o_home"}"#);
    let ran = form(&["check", &good]);
    assert_eq!((ran.code, ran.out.lines().filter(|line| line.starts_with("note[")).count()), (0, 4), "{}", ran.out);
    let ran = form(&["paths", "--json", &good]);
    let listed = ran.json();
    assert_eq!((ran.code, listed["complete"].as_bool(), listed["paths"].as_array().unwrap().len()), (0, Some(true), 8));
    assert_eq!(form(&["paths", &good]).out.lines().filter(|line| line.contains(" > ")).count(), 8);
    let ran = form(&["graph", &good]);
    assert!(ran.code == 0 && ran.out.starts_with("flowchart TD\n    page1[\""), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 23);
    let ran = form(&["walk", &good, "--answers", &answers]);
    assert!(
        ran.code == 0 && ran.out.starts_with("pg_recipient > pg_details > pg_need\nends at end:end_not_served: We do"),
        "{}",
        ran.out
    );
}

#[test]
fn a_walk_is_printed_as_json() {
    let folder = Folder::new();
    let file = folder.file("form.json", &routed("sounds_like").to_string());
    let walk = |answers: Value| {
        let ran = form(&["walk", "--json", &file, "--answers", &folder.file("answers.json", &answers.to_string())]);
        assert_eq!(ran.code, 0, "{}", ran.error);
        ran.json()
    };
    let whole = walk(json!({"q_zip": "1", "q_name": "Ann", "q_mail": "ann@example.org", "q_why": "Curious"}));
    assert_eq!(whole["path"], json!(["zip", "you"]));
    assert_eq!((&whole["outcome"], &whole["uncertain"]), (&json!("finished"), &json!(true)));
    let notice = json!({"rule": "r", "at": 0, "kind": "uncertain_conditions"});
    let mut steps = whole["steps"].clone();
    for step in steps.as_array_mut().unwrap() {
        let step = step.as_object_mut().unwrap();
        assert!(step.remove("progress").is_some() && step.remove("questions").is_some(), "{step:?}");
    }
    assert_eq!(
        steps,
        json!([{"page": "zip", "title": "Where?", "uncertain": true, "notices": [notice]},
            {"page": "you", "title": "You", "uncertain": false, "notices": []}])
    );
    assert_eq!(whole["ending"]["id"], "thanks");
    assert_eq!(whole["ending"]["message"], "Thank you, Ann.");
    assert_eq!((&whole["lead"]["name"], &whole["no_lead"]), (&json!("Ann"), &json!(null)));
    let others = ["score", "progress", "again", "verifications", "named_by"].map(|key| whole.get(key).cloned());
    assert_eq!(others, [json!(0), json!(1.0), json!(null), json!([]), json!("name")].map(Some));
    let attribute = |key: Value, question: &str, label: &str, text: &str| json!({"key": key, "question": question, "label": label, "text": text, "answer": text});
    assert_eq!(
        whole["attributes"],
        json!([
            attribute(json!(null), "q_zip", "Postal code?", "1"),
            attribute(json!("reason"), "q_why", "Why, Ann?", "Curious")
        ])
    );
    let half = walk(json!({"q_zip": "1", "q_mail": "ann"}));
    assert_eq!((&half["outcome"], &half["ending"], &half["lead"]), (&json!("awaiting"), &json!(null), &json!(null)));
    assert_eq!(half["no_lead"], "not_finished");
    let problem = |question: &str, problem: &str, message: &str| json!({"question": question, "problem": problem, "message": message});
    assert_eq!(
        half["problems"],
        json!([
            problem("q_name", "missing", "needs an answer"),
            problem("q_mail", "not_an_email", "must be an e-mail address")
        ])
    );
}

#[test]
fn paths_and_graphs_are_printed_as_json() {
    let folder = Folder::new();
    let file = folder.file("form.json", &routed("equals").to_string());
    let listed = form(&["paths", "--json", &file]).json();
    let path = |pages: Value, places: Value, ending: &str, answers: Value| {
        json!({"pages": pages, "places": places, "outcome": "finished", "ending": ending, "again": null,
            "uncertain": false, "answers": answers})
    };
    assert_eq!(listed["paths"][0], path(json!(["zip"]), json!([0]), "no", json!({"q_zip": "9"})));
    assert_eq!(listed["paths"][1]["pages"], json!(["zip", "you"]));
    let drawn = form(&["graph", "--json", &file]).json();
    assert_eq!((&drawn["pages"], &drawn["endings"]), (&json!(["zip", "you"]), &json!(["thanks", "no"])));
    assert_eq!(
        drawn["routes"],
        json!([{"from": 0, "to_page": null, "to_ending": 1, "rule": 0},
            {"from": 0, "to_page": 1, "to_ending": null, "rule": null},
            {"from": 1, "to_page": null, "to_ending": 0, "rule": null}])
    );
    // If a rule cannot be evaluated, the paths that skip it are uncertain.
    let file = folder.file("unknown.json", &routed("sounds_like").to_string());
    assert_eq!(form(&["paths", "--json", &file]).json()["paths"][0]["uncertain"], true);
    assert!(form(&["paths", &file]).out.contains("zip > you > end:thanks (uncertain)"));
}

#[test]
fn the_text_output_marks_an_uncertain_walk() {
    let folder = Folder::new();
    let file = folder.file("form.json", &routed("sounds_like").to_string());
    let answers = folder.file("answers.json", r#"{"q_zip":"1"}"#);
    let ran = form(&["walk", &file, "--answers", &answers]);
    let line = "uncertain: after zip, rule r was skipped because its conditions cannot be evaluated";
    assert!(ran.out.lines().any(|printed| printed == line), "{}", ran.out);
}

#[test]
fn exit_codes_distinguish_findings_from_unreadable_files() {
    let folder = Folder::new();
    let clean = folder.file("clean.json", &routed("equals").to_string());
    let warned = folder.file("warned.json", &routed("sounds_like").to_string());
    let wrong = folder.file("wrong.json", r#"{"form":{"client_id":"c1"}}"#);
    let no_json = folder.file("no.json", "{");
    let list = folder.file("list.json", "[]");
    let absent = folder.0.path().join("absent.json");
    let absent = absent.to_str().unwrap();
    for (args, code, error) in [
        (vec!["check", &clean], 0, ""),
        (vec!["check", "--deny", "warnings", &clean], 0, ""),
        (vec!["check", "--deny", "notes", &clean], 1, " has 1 note"),
        (vec!["check", &warned], 0, ""),
        (vec!["check", "--deny", "warnings", &warned], 1, " has 2 warnings"),
        (vec!["check", &wrong], 1, " has 1 error\n"),
        (vec!["check", &no_json], 4, "no.json is not a form record: "),
        (vec!["check", &list], 4, "list.json is not a form record: "),
        (vec!["check", absent], 4, "cannot read the form record "),
        (vec!["paths", absent], 4, "cannot read the form record "),
        (vec!["walk", &clean, "--answers", absent], 4, "cannot read the answers file "),
        (vec!["walk", &clean, "--answers", &no_json], 4, "no.json is not an answers file, "),
        (vec!["walk", &clean, "--answers", &list], 4, "list.json is not an answers file, "),
        (vec!["check", "--deny", "nothing", &clean], 2, "--deny"),
    ] {
        let ran = form(&args);
        assert!(ran.code == code && ran.error.contains(error), "{args:?}: {} {}{}", ran.code, ran.out, ran.error);
    }
    let one = folder.file("one.json", &routed("equals").to_string().replace(r#""c1""#, "7"));
    let ran = form(&["check", &one]);
    assert!(ran.code == 1 && ran.error.ends_with(" has 1 error, 1 warning and 1 note\n"), "{}", ran.error);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let folder = Folder::new();
    let file = folder.file("form.json", &format!("\u{feff}{}", routed("equals")));
    let answers = folder.file("answers.json", "\u{feff}{\"q_zip\":\"9\"}");
    let ran = form(&["walk", "--json", &file, "--answers", &answers]);
    assert_eq!((ran.code, &ran.json()["ending"]["id"]), (0, &json!("no")), "{}", ran.error);
}

/// Text in a form record must neither send control sequences to the terminal nor reorder its output.
#[test]
fn text_in_a_record_cannot_control_a_terminal() {
    let evil = "\u{1b}[2J\u{7}\u{202e}\u{9b}";
    let folder = Folder::new();
    let mut record: Value =
        serde_json::from_str(&routed("equals").to_string().replace("zip", r"\u001b[2J\u0007\u202e\u009b")).unwrap();
    record["form"][evil] = json!(1);
    record["form"]["settings"]["endings"][1]["message"] = evil.into();
    record["form"]["settings"]["endings"][1]["id"] = evil.into();
    record["form"]["logic"]["rules"][0]["then"]["target"] = format!("end:{evil}").into();
    let file = folder.file("form.json", &record.to_string());
    let question = record["form"]["pages"][0]["fields"][0]["id"].as_str().unwrap();
    assert!(question.contains('\u{1b}'), "{question:?}");
    let answers = folder.file("answers.json", &json!({question: "9"}).to_string());
    let none = folder.file("none.json", "{}");
    for args in [
        vec!["check", &file],
        vec!["paths", &file],
        vec!["graph", &file],
        vec!["walk", &file, "--answers", &answers],
        vec!["walk", &file, "--answers", &none],
    ] {
        let ran = form(&args);
        let unsafe_char = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(ran.code < 2 && !ran.out.is_empty(), "{args:?}: {}", ran.error);
        assert!(!ran.out.contains(unsafe_char) && !ran.error.contains(unsafe_char), "{args:?}: {:?}", ran.out);
    }
    assert!(form(&["check", &file]).out.contains(r"/form/\u{1b}[2J\u{7}\u{202e}\u{9b}"));
}

/// The form has a page with thousands of questions, and a rule of a later page refers to some of them. A check of such
/// a form once took gigabytes of memory.
#[test]
fn a_large_form_is_checked_and_listed_in_bounded_time() {
    let fields: Vec<Value> = (0..10_000)
        .map(|at| json!({"id": format!("w{at}"), "type": "short_text", "label": "Why?", "required": true}))
        .collect();
    let conditions: Vec<Value> =
        (0..16).map(|at| json!({"fieldId": format!("w{at}"), "op": "equals", "value": "x"})).collect();
    let record = json!({"form": {"client_id": "c1", "pages": [{"id": "a", "fields": fields}, {"id": "b"}, {"id": "c"}],
        "logic": {"rules": [{"fromPageId": "c", "then": {"kind": "jump", "target": "end:x"},
            "groups": [{"op": "AND", "conds": conditions}]}]},
        "settings": {"endings": [{"id": "e", "createsLead": false}, {"id": "x", "createsLead": false}]}}});
    let folder = Folder::new();
    let file = folder.file("form.json", &record.to_string());
    let start = Instant::now();
    assert!(form(&["check", &file]).code < 2);
    assert!(form(&["paths", &file]).code < 2);
    assert!(start.elapsed() < TIMEOUT, "{:?}", start.elapsed());
}

#[test]
fn numbers_are_read_in_the_locale_of_the_option_or_the_form() {
    let folder = Folder::new();
    let answers = folder.file("answers.json", &json!({"n": "9.500"}).to_string());
    let problem = |form_locale: Value, options: &[&str]| {
        let record = json!({"form": {"locale": form_locale, "fields": [{"id": "n", "type": "number"}]}});
        let file = folder.file("form.json", &record.to_string());
        let ran = form(&[&["walk", "--json", &file, "--answers", &answers], options].concat());
        assert_eq!(ran.code, 0, "{}", ran.error);
        ran.json()["problems"][0]["problem"].clone()
    };
    assert_eq!(problem(json!(null), &[]), "ambiguous_number");
    assert_eq!(problem(json!("de"), &[]), json!(null));
    assert_eq!(problem(json!(null), &["--locale", "de"]), json!(null));
    let file = folder.file("form.json", &json!({"form": {"fields": [{"id": "n"}]}}).to_string());
    let findings = form(&["check", "--json", "--locale", "de", &file]).json();
    assert!(findings.as_array().is_some_and(|findings| !findings.is_empty()), "{findings}");
}
