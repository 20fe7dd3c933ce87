//! Tests of the journal of an import.

use std::fs::{self, File};

use serde_json::{Value, json};

use super::Site;

#[test]
fn a_row_with_an_unknown_result_is_sent_again_only_while_the_api_remembers_it() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\nBo\n");
    assert_eq!(site.import(&file, &[]).0, 0);
    let journal = site.path("leads.csv.journal");
    let lines: Vec<Value> =
        fs::read_to_string(&journal).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let interrupted = |sent_at: &str| {
        let row = json!({"key": lines[1]["key"], "line": 2, "sent_at": sent_at});
        fs::write(&journal, format!("{}\n{row}\n", lines[0])).unwrap();
    };
    interrupted("2026-01-01T00:00:00.000Z");
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 5 && report.contains("0 leads created, 1 already imported, 1 refused"), "{report}");
    let refused = fs::read_to_string(site.path("leads.csv.refused.csv")).unwrap();
    let because = "2,\"this row was sent at 2026-01-01T00:00:00.000Z, and its result is unknown: import it only if the \
                   lead does not exist\",Ann\n";
    assert!(refused.contains(because), "{refused}");

    interrupted(lines[1]["sent_at"].as_str().unwrap());
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 0 && report.contains("0 leads created, 2 already imported"), "{report}");
    assert_eq!(site.rows("name"), ["Ann", "Bo"]);
}

#[test]
fn an_incomplete_last_line_is_removed() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\nBo\n");
    assert_eq!(site.import(&file, &[]).0, 0);
    let journal = site.path("leads.csv.journal");
    let text = fs::read_to_string(&journal).unwrap();
    // Testing every length would take too long.
    for length in (0..text.len()).step_by(37) {
        fs::write(&journal, &text[..length]).unwrap();
        let (code, report, error) = site.import(&file, &[]);
        assert!(code == 0 && report.contains("2 already imported"), "{length}: {report}{error}");
        for line in fs::read_to_string(&journal).unwrap().lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
    }
    assert_eq!(site.rows("name"), ["Ann", "Bo"]);
}

#[test]
fn a_journal_that_does_not_fit_is_rejected() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\n");
    let journal = site.path("leads.csv.journal");
    let refuses = |expected: &str| {
        let (code, report, error) = site.import(&file, &[]);
        assert!(code == 1 && report.is_empty() && error.contains(expected), "{expected}: {report}{error}");
    };
    for (text, expected) in [
        ("a list\n", "this is not a journal of an import"),
        ("{\"version\":2,\"api\":\"x\"}\n", "a newer version has written this journal"),
        ("{\"version\":1,\"api\":\"http://x/v1\"}\n", "the journal of an import into http://x/v1"),
    ] {
        fs::write(&journal, text).unwrap();
        refuses(expected);
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    }
    fs::remove_file(&journal).unwrap();
    assert_eq!(site.import(&file, &[]).0, 0);
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, format!("{text}damaged\n{text}")).unwrap();
    refuses("line 4 is damaged");

    fs::write(&journal, text).unwrap();
    let held = File::open(&journal).unwrap();
    held.lock().unwrap();
    refuses("another import is using this journal");
    drop(held);
    assert_eq!(site.import(&file, &[]).0, 0);

    let folder = site.path("elsewhere");
    fs::create_dir(&folder).unwrap();
    fs::write(&journal, "a list\n").unwrap();
    assert_eq!(site.import(&file, &["--state", folder.to_str().unwrap()]).0, 0);
    assert!(folder.join("leads.csv.journal").exists());
}
