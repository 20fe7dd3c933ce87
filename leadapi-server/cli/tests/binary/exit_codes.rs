//! Tests of the exit codes and the form of errors. A service manager restarts a server that fails, but not one with
//! invalid settings (exit code 2).

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

use crate::process::{BINARY, Database};

fn run(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn each_invalid_setting_of_a_server_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let [empty, missing] = ["empty", "missing"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&empty, "").unwrap();
    let tls: &[&str] = &["--tls-cert", &empty, "--tls-key", &empty];
    let mut table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["--listen", "[::]:0"], "refusing to serve plain HTTP"),
        (vec!["--listen", "127.0.0.1:0", "--ops-listen", "0.0.0.0:0"], "refusing to serve the operator endpoints"),
        (vec!["--listen", "127.0.0.1:0", "--admin-listen", "0.0.0.0:0"], "refusing to serve the API settings"),
        (vec!["--listen", "127.0.0.1:0", "--admin-listen", "unix:/x"], "needs --admin-url"),
        (vec!["--tls-cert", &empty], "must be used together"),
        ([&["--listen", "127.0.0.1:0"], tls].concat(), "contains no"),
        (vec!["--listen", "127.0.0.1:0", "--tls-cert", &missing, "--tls-key", &missing], "cannot read"),
        (vec!["--base-path", "v1"], "--base-path"),
        (vec!["--data", &missing], "cannot read"),
        (vec!["--data", &empty], "invalid data"),
        (vec!["--log", "a=b=c"], "--log"),
        (vec!["--config", &missing], "cannot read"),
        (vec!["--idle-timeout", "5"], "must be a duration"),
        (vec!["--store", "mysql://h/d"], "must be memory"),
    ];
    if cfg!(feature = "acme") {
        table.push((vec!["--acme-domain", "leads.example.org"], "--acme-agree-tos"));
    }
    if cfg!(feature = "redis") {
        table.push((vec!["--limiter", "redis://127.0.0.1:1", "--limiter-failure", "local"], "--limiter-servers"));
    }
    if cfg!(feature = "otlp") {
        table.push((vec!["--otlp-endpoint", "not a url"], "--otlp-endpoint"));
    }
    for (args, expected) in table {
        let (code, error) = run(Command::new(BINARY).arg("serve").args(&args));
        assert!(code == 2 && error.contains(expected), "{args:?}: {code} {error}");
    }
}

#[test]
fn invalid_arguments_exit_with_2_and_failures_with_1() {
    let database = Database::empty();
    database.run(&["init", "--name", "Sol", "--owner", "ann@sol.example"]);
    for (args, code) in [
        (&["member", "add", "not-an-email"][..], 2),
        (&["member", "add", "ann@sol.example"], 1),
        (&["member", "add"], 2),
        (&["client", "add", " "], 2),
        (&["client", "add", "A", "--name", "B"], 2),
        (&["client", "remove", "none"], 1),
        (&["stage", "add", "x", "--pipeline", "Sales", "--position", "9"], 2),
        (&["token", "create", "t", "--scope", "read", "--expires", "2020-01-01"], 2),
        (&["token", "create", "t", "--scope", "admin"], 2),
        (&["token", "create", "first token", "--scope", "read"], 1),
        (&["audit", "list", "--limit", "0"], 2),
        (&["business", "remove", "Sol"], 2),
        (&["init", "--name", "Sol", "--owner", "ann@sol.example"], 1),
    ] {
        let (found, error) = run(&mut database.command(args));
        assert_eq!(found, code, "{args:?}: {error}");
        // With --json, the same error is one JSON object.
        let (found, body) = run(&mut database.command(&[args, &["--json"]].concat()));
        let body: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{args:?}: {body}"));
        let message = body["error"].as_str().unwrap();
        assert!(
            found == code && error.split_whitespace().collect::<Vec<_>>().join(" ").contains(message),
            "{args:?}: {body} {error}"
        );
    }
}
