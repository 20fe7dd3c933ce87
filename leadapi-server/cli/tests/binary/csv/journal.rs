//! Tests of the journal of an import.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    process::Command,
};

use serde_json::{Value, json};

use super::{Site, output};
use crate::process::{BINARY, BUSINESS, CLIENT};

#[test]
fn a_row_with_an_unknown_result_is_sent_again_only_while_the_api_remembers_it() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\nBo\n");
    assert_eq!(site.import(&file, &[]).0, 0);
    let journal = site.path("leads.csv.journal");
    let (header, row) = header_and_first_row(&fs::read_to_string(&journal).unwrap());
    let interrupted = |sent_at: &str| {
        let row = json!({"key": row["key"], "line": 2, "sent_at": sent_at});
        fs::write(&journal, format!("{header}\n{row}\n")).unwrap();
    };
    interrupted("2026-01-01T00:00:00.000Z");
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 5 && report.contains("0 leads created, 1 already imported, 1 refused"), "{report}");
    let refused = fs::read_to_string(site.path("leads.csv.refused.csv")).unwrap();
    let because = "2,\"this row was sent at 2026-01-01T00:00:00.000Z, and its result is unknown: import it only if the \
                   lead does not exist\",Ann\n";
    assert!(refused.contains(because), "{refused}");

    interrupted(row["sent_at"].as_str().unwrap());
    let (code, report, _) = site.import(&file, &[]);
    assert!(code == 0 && report.contains("0 leads created, 2 already imported"), "{report}");
    assert_eq!(site.rows("name"), ["Ann", "Bo"]);
}

/// Returns the first line of a journal, and its first line about a row.
fn header_and_first_row(journal: &str) -> (Value, Value) {
    let mut lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (lines.next().unwrap(), lines.find(|line| line["key"].is_string()).unwrap())
}

/// Returns a time in the format of the journal.
fn hours_ago(hours: i64) -> String {
    let millis = leadapi_core::model::Timestamp::now().unix_millis() - hours * 3_600_000;
    leadapi_core::model::Timestamp::from_unix_millis(millis).unwrap().to_string()
}

/// The leads exist, but no response has arrived, and the API has forgotten the keys.
#[test]
fn a_later_attempt_that_fails_does_not_make_a_row_new() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\n");
    let journal = site.path("leads.csv.journal");
    // The keys of this import are unknown to the API, because the name differs.
    let import = || site.import(&file, &["--name", "other"]);
    assert_eq!(import().0, 0);
    let (header, row) = header_and_first_row(&fs::read_to_string(&journal).unwrap());
    let sent = |hours| json!({"key": row["key"], "line": 2, "sent_at": hours_ago(hours)});
    let failed = json!({"key": row["key"], "line": 2});
    let other = json!({"key": "another-row", "line": 3, "sent_at": hours_ago(-3)});
    for (case, history) in [
        ("the server was unreachable later", vec![sent(49), sent(48), failed.clone()]),
        ("both responses were lost", vec![sent(44), sent(22)]),
        ("the last attempt is recent", vec![sent(44), sent(21), sent(1), failed.clone(), sent(0), failed.clone()]),
        ("the clock was set back", vec![sent(1), other.clone(), sent(0), failed.clone()]),
        ("the clock is behind the journal", vec![sent(-3)]),
    ] {
        let history: Vec<String> = history.iter().map(Value::to_string).collect();
        fs::write(&journal, format!("{header}\n{}\n", history.join("\n"))).unwrap();
        let (code, report, error) = import();
        assert!(code == 5 && report.contains("0 leads created, 1 refused"), "{case}: {report}{error}");
        let refused = fs::read_to_string(site.path("leads.csv.refused.csv")).unwrap();
        assert!(refused.contains("and its result is unknown"), "{case}: {refused}");
        fs::remove_file(site.path("leads.csv.refused.csv")).unwrap();
    }
    for (case, history) in [
        ("nothing was sent", vec![sent(49), failed.clone(), sent(25), failed]),
        ("the API still knows the key", vec![sent(21)]),
    ] {
        let history: Vec<String> = history.iter().map(Value::to_string).collect();
        fs::write(&journal, format!("{header}\n{}\n", history.join("\n"))).unwrap();
        let (code, report, error) = import();
        assert!(code == 0 && report.contains("0 leads created, 1 already imported"), "{case}: {report}{error}");
    }
    assert_eq!(site.rows("name"), ["Ann"]);
}

#[test]
fn a_journal_is_refused_after_its_store_was_restored() {
    let site = Site::empty();
    let backup = site.path("backup.db");
    site.database.run(&["data", "backup", backup.to_str().unwrap()]);
    let file = site.write("leads.csv", "name\nAnn\nBo\nCy\n");
    assert_eq!(site.import(&file, &[]).0, 0);
    let (folder, name) = (site.database.folder.path(), site.database.store.strip_prefix("sqlite:").unwrap());
    let name = std::path::Path::new(name).file_name().unwrap().to_str().unwrap();
    // Another spelling of the same path names the same store.
    let mut again = Command::new(BINARY);
    again.args(["data", "import-csv", file.to_str().unwrap(), "--business", BUSINESS, "--client", CLIENT]);
    again.current_dir(folder).args(["--store", &format!("sqlite:./{name}")]);
    let (code, report, error) = output(&mut again);
    assert!(code == 0 && report.contains("3 already imported"), "{report}{error}");

    site.database.run(&["data", "restore", backup.to_str().unwrap(), "--force"]);
    for args in [&[][..], &["--dry-run"]] {
        let (code, report, error) = site.import(&file, args);
        assert!(code == 1 && report.is_empty() && error.contains("was restored from a backup or replaced"), "{error}");
    }
    assert_eq!(site.rows("name"), [""; 0]);
    let state = site.path("state");
    fs::create_dir(&state).unwrap();
    assert_eq!(site.import(&file, &["--state", state.to_str().unwrap()]).0, 0);
    assert_eq!(site.rows("name"), ["Ann", "Bo", "Cy"]);
}

#[test]
fn a_file_that_is_no_journal_is_not_changed() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\nBo,x\n");
    let (journal, mine) = (site.path("leads.csv.journal"), site.path("mine.txt"));
    let refuses = |expected: &str| {
        let (code, report, error) = site.import(&file, &[]);
        assert!(code == 1 && report.is_empty() && error.contains(expected), "{report}{error}");
    };
    for text in ["line one\nmy notes", "my notes", "{\"version\": \"mine\"}", "\n", "\u{0}\n"] {
        fs::write(&journal, text).unwrap();
        refuses("this is not a journal of an import");
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    }
    fs::write(&journal, b"\xff\n").unwrap();
    refuses("this is not a journal of an import");
    fs::remove_file(&journal).unwrap();
    for text in ["my notes", ""] {
        fs::write(&mine, text).unwrap();
        symlink(&mine, &journal).unwrap();
        refuses("this is not a journal of an import");
        assert_eq!(fs::read_to_string(&mine).unwrap(), text);
        fs::remove_file(&journal).unwrap();
    }
    // The import does not follow a link when it writes the file of refused rows, either.
    fs::write(&mine, "my notes").unwrap();
    symlink(&mine, site.path("leads.csv.refused.partial")).unwrap();
    assert_eq!(site.import(&file, &[]).0, 5);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "my notes");
    assert!(site.path("leads.csv.refused.csv").symlink_metadata().unwrap().is_file());
}

#[test]
fn a_journal_without_leads_can_be_used_for_another_api() {
    let site = Site::empty();
    let file = site.write("leads.csv", "name\nAnn\n");
    let journal = site.path("leads.csv.journal");
    let header = json!({"version": 1, "api": "http://typo/v1"});
    let sent = json!({"key": "k", "line": 2, "sent_at": hours_ago(1)});
    let failed = json!({"key": "k", "line": 2});
    fs::write(&journal, format!("{header}\n{sent}\n")).unwrap();
    let (code, _, error) = site.import(&file, &[]);
    assert!(code == 1 && error.contains("the journal of an import into http://typo/v1"), "{error}");
    fs::write(&journal, format!("{header}\n{sent}\n{failed}\n")).unwrap();
    assert_eq!(site.import(&file, &["--dry-run"]).0, 0);
    assert_eq!(site.import(&file, &[]).0, 0);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.contains("sqlite:") && !text.contains("typo"), "{text}");
    assert_eq!(site.rows("name"), ["Ann"]);
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
        ("{\"version\":3,\"api\":\"x\"}\n", "a newer version has written this journal"),
        (
            "{\"version\":1,\"api\":\"http://x/v1\"}\n{\"key\":\"k\",\"line\":2,\"lead_id\":\"l1\"}\n",
            "the journal of an import into http://x/v1",
        ),
    ] {
        fs::write(&journal, text).unwrap();
        refuses(expected);
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    }
    fs::remove_file(&journal).unwrap();
    assert_eq!(site.import(&file, &[]).0, 0);
    let text = fs::read_to_string(&journal).unwrap();
    // Version 0.1.0 cannot read the line about the columns.
    assert!(text.starts_with("{\"version\":2,"), "{text}");
    fs::write(&journal, format!("{text}damaged\n{text}")).unwrap();
    refuses(&format!("line {} is damaged", text.lines().count() + 1));

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
