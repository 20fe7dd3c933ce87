//! Tests of the commands' human-readable output and JSON output, and of readers that close the pipe early.

use std::{
    fs,
    io::Read,
    process::{Command, Output, Stdio},
};

use crate::process::{BINARY, BUSINESS, Database, OWNER};

const ESCAPE: char = '\u{1b}';
const REORDER: char = '\u{202e}';

fn of<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--business", BUSINESS]].concat()
}

#[test]
fn control_characters_are_escaped_in_text_and_preserved_in_json() {
    let database = Database::of_the_sample();
    let name = format!("gpj.{REORDER}exe");
    database.run(&of(&["client", "add", "--name", &name, "--id", "odd"]));
    database.run(&[&["token", "create", "--name", &name, "--scope", "read"][..], &OWNER].concat());
    for list in [of(&["client", "list"]), [&["token", "list"][..], &OWNER].concat()] {
        let table = database.run(&list);
        assert!(table.starts_with("id\tname\t") && table.lines().skip(1).all(|row| row.contains('\t')), "{table}");
        assert!(table.contains(r"gpj.\u{202e}exe") && !table.contains(REORDER), "{table}");
        assert!(database.run(&[&list[..], &["--json"]].concat()).contains(&name));
    }
    let file = database.folder.path().join("bad.json");
    fs::write(&file, r#"{"\u001b]0;pwned\u0007": 1}"#).unwrap();
    for (args, escaped) in [
        (vec!["data", "check", file.to_str().unwrap()], r"\u{1b}"),
        (vec!["data", "check", "no\u{1b}[2Jwhere"], r"\u{1b}"),
        (vec!["serve", "--data", "no\u{1b}[2Jwhere"], r"\u{1b}"),
        // clap strips escape sequences from its own messages.
        (vec!["serve", "no\u{1b}[2Jwhere"], "nowhere"),
        (vec!["serve", "--listen", "\u{1b}[2J\u{202e}"], r"\u{202e}"),
    ] {
        let Output { status, stdout, stderr } = Command::new(BINARY).args(&args).output().unwrap();
        let error = String::from_utf8(stderr).unwrap();
        assert!(!status.success() && stdout.is_empty(), "{args:?}");
        assert!(error.contains(escaped) && !error.contains([ESCAPE, REORDER, '\u{7}']), "{args:?}: {error:?}");
    }
}

#[test]
fn a_closed_output_pipe_ends_a_command_silently() {
    let database = Database::of_the_sample();
    let many = ["openapi", "completions bash", "config --json", "config", "data export", "client list"];
    for command in many {
        let mut args: Vec<&str> = command.split(' ').collect();
        if command == "client list" {
            args = of(&args);
        }
        let mut command = if args.contains(&"export") || args.contains(&"list") {
            database.command(&args)
        } else {
            let mut command = Command::new(BINARY);
            command.args(&args);
            command
        };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
        // A shell reports this exit status for a process that SIGPIPE has killed.
        assert_eq!(output.status.code(), Some(141), "{args:?}");
    }
}

#[test]
fn an_unprintable_secret_fails_the_command() {
    let database = Database::of_the_sample();
    let args = [&["token", "create", "--name", "lost", "--scope", "read"][..], &OWNER].concat();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = database.command(&args).stdout(writer).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    let listed = database.json(&[&["token", "list"][..], &OWNER].concat());
    let lost = listed.as_array().unwrap().iter().find(|token| token["name"] == "lost").unwrap();
    assert!(error.contains(lost["id"].as_str().unwrap()) && error.contains("create another"), "{error}");
}

/// The `script` program runs the command on a terminal.
#[test]
fn a_table_fits_a_terminal() {
    let database = Database::of_the_sample();
    database.run(&of(&["client", "add", "--name", &"a long name ".repeat(16), "--id", "odd"]));
    let shell =
        format!("stty cols 80 rows 24; {BINARY} client list --business {BUSINESS} --store '{}'", database.store);
    let mut child = Command::new("script")
        .args(["-q", "-e", "-c", &shell, "/dev/null"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut table = String::new();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert!(child.wait().unwrap().success(), "{table}");
    assert!(table.contains("odd") && table.lines().all(|line| line.trim_end().chars().count() <= 80), "{table}");
}
