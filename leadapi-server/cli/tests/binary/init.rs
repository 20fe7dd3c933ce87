//! Tests of `init`, which creates the first business of a store.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::process::{BINARY, Database, ServerProcess, equals};

const INIT: [&str; 5] = ["init", "--name", " Sol Marketing ", "--owner", "Ann@sol.example"];

/// Appends more arguments to those that a script needs.
fn init<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&INIT[..], more].concat()
}

/// Runs a command on a terminal, where a person types these lines. Returns whether it succeeded, and the terminal's
/// contents.
pub(crate) fn on_a_terminal(command: &str, typed: &str) -> (bool, String) {
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", command, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn init_creates_everything_that_a_first_request_needs() {
    let database = Database::empty();
    let made = database.json(&init(&[
        "--id",
        "sol",
        "--client",
        "Casa Verde",
        "--pipeline",
        "Web",
        "--stage",
        "In",
        "--stage",
        "Out",
        "--token",
        "site",
        "--expires",
        "90d",
    ]));
    assert_eq!((&made["business"]["id"], &made["business"]["name"]), (&"sol".into(), &"Sol Marketing".into()));
    let (client, pipeline, token) = (&made["client"], &made["pipeline"], &made["token"]);
    assert_eq!(database.json(&["business", "list"])[0], made["business"]);
    assert_eq!(database.json(&["client", "list", "--business", "sol"])[0], *client);
    assert_eq!(database.json(&["pipeline", "list", "--business", "sol"])[0], *pipeline);
    assert_eq!((&client["name"], &pipeline["stages"][1]["name"]), (&"Casa Verde".into(), &"Out".into()));

    let by = ["--business", "sol", "--as", "ann@SOL.example"];
    let listed = &database.json(&[&["token", "list"][..], &by].concat())[0];
    assert_eq!((&listed["name"], &listed["created_by"]), (&"site".into(), &"Ann@sol.example".into()));
    assert_eq!(listed["expires_at"], token["expires_at"]);
    let audit = &database.json(&[&["audit", "list"][..], &by].concat())[0];
    assert_eq!((&audit["token_id"], &audit["email"]), (&token["id"], &"Ann@sol.example".into()));

    let server = ServerProcess::on(&database.store);
    let body = format!(
        r#"{{"client_id":{client},"name":"Ann","pipeline_id":{pipeline}}}"#,
        client = client["id"],
        pipeline = pipeline["id"]
    );
    let created = server.post(token["token"].as_str().unwrap(), "", &body);
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
}

#[test]
fn a_script_needs_only_a_store_a_name_and_an_owner() {
    for (args, option) in
        [(&["init", "--name", "Sol"][..], "--owner"), (&["init", "--owner", "ann@sol.example"], "--name")]
    {
        let database = Database::empty();
        let error = database.refuses(args);
        assert!(error.contains(&format!("{option} is required, because there is no terminal")), "{error}");
        assert!(!database.folder.path().join("leads.db").exists(), "{option}");
    }
    let output = Command::new(BINARY).args(INIT).stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("--store is required"), "{error}");

    let database = Database::empty();
    let made = database.json(&INIT);
    let stages: Vec<&str> =
        made["pipeline"]["stages"].as_array().unwrap().iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    assert_eq!((&made["client"]["name"], &made["pipeline"]["name"]), (&"Sol Marketing".into(), &"Sales".into()));
    assert_eq!(stages, ["New", "Contacted", "Won", "Lost"]);
    assert_eq!((&made["token"]["name"], made["token"]["scopes"].as_array().unwrap().len()), (&"first token".into(), 2));
}

#[test]
fn init_rejects_invalid_values_before_it_creates_a_file() {
    for (args, code, rule) in [
        (init(&["--client", " "]), 2, "must be 1 to 200 characters"),
        (init(&["--stage", "a\tb"]), 2, "must be 1 to 200 characters"),
        (init(&["--token", &"x".repeat(101)]), 2, "must be 1 to 100 characters"),
        (vec!["init", "--name", "Sol", "--owner", "ann"], 2, "must be an e-mail address"),
        (init(&["--expires", "2020-01-01T00:00:00Z"]), 2, "must be in the future"),
        (init(&["--expires", "2020-01-01"]), 2, "must be in the future"),
    ] {
        let database = Database::empty();
        let output = database.command(&args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(rule), "{args:?}: {error}");
        assert!(!database.folder.path().join("leads.db").exists(), "{args:?}");
    }
}

#[test]
fn a_store_that_has_a_business_is_not_changed() {
    let database = Database::of_the_sample();
    let before = database.run(&["business", "list"]);
    let error = database.refuses(&INIT);
    assert!(error.contains("already has a business; \"business add\" adds another"), "{error}");
    assert_eq!(database.run(&["business", "list"]), before);
}

#[test]
fn init_prints_the_commands_to_run_next() {
    let database = Database::empty();
    let printed = database.run(&INIT);
    let (_, rest) = printed.split_once("\n\npak_").unwrap();
    let secret = format!("pak_{}", rest.lines().next().unwrap());
    assert!(printed.contains(&format!("  leadapi serve --store {}\n", database.store)), "{printed}");
    let curl = printed.split_once("  curl ").unwrap().1;
    assert!(curl.contains("'http://127.0.0.1:8080/v1/leads'"), "{curl}");
    assert!(curl.contains(&format!("Bearer {secret}'")), "{curl}");
    let client = printed.split_once("client account \"Sol Marketing\": ").unwrap().1.lines().next().unwrap();
    assert!(curl.contains(&format!(r#""client_id":"{client}""#)), "{curl}");
}

#[test]
fn the_command_to_serve_is_quoted_and_follows_the_environment() {
    for (file, shown) in [("it's.db", "it'\\''s.db'"), ("a b.db", "a b.db'")] {
        let mut database = Database::empty();
        database.store = format!("sqlite:{}", database.folder.path().join(file).display());
        let printed = database.run(&INIT);
        assert!(printed.contains(" --store 'sqlite:") && printed.contains(shown), "{printed}");
    }
    let database = Database::empty();
    let output = Command::new(BINARY).args(INIT).env("LEADAPI_STORE", &database.store).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("\n  leadapi serve\n"), "{printed}");
}

#[test]
fn init_asks_on_a_terminal_for_what_no_option_sets() {
    let database = Database::empty();
    let command = format!("{BINARY} init --owner ann@sol.example --store {}", database.store);
    // The second line answers the repeated question, and the empty lines accept the defaults.
    let (success, shown) = on_a_terminal(&command, " \nSol\nCasa\n\nIn, Out\n\n");
    assert!(success, "{shown}");
    for text in [
        "Name of the business: ",
        "  must be 1 to 200 characters",
        "First client account [Sol]: ",
        "First pipeline [Sales]: ",
        "Its stages [New, Contacted, Won, Lost]: ",
        "Name of the first token [first token]: ",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("Email address"), "{shown}");
    let business = database.json(&["business", "list"]);
    let id = business[0]["id"].as_str().unwrap();
    assert_eq!(business[0]["name"], "Sol");
    assert_eq!(database.json(&["client", "list", "--business", id])[0]["name"], "Casa");
    assert_eq!(database.json(&["stage", "list", "--business", id]).as_array().unwrap().len(), 2);
}

#[test]
fn the_end_of_the_input_cancels_init() {
    let database = Database::empty();
    let command = format!("{BINARY} init --store {}", database.store);
    let (success, shown) = on_a_terminal(&command, "Sol\n\u{4}");
    assert!(!success && shown.contains("cancelled: nothing was changed"), "{shown}");
    assert!(!database.folder.path().join("leads.db").exists());
}

#[test]
fn a_secret_that_cannot_be_printed_is_reported_as_lost() {
    let database = Database::empty();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = database.command(&INIT).stdout(writer).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("could not be printed and is lost"), "{error}");
}

#[test]
fn an_empty_server_names_init_and_serves_what_it_creates() {
    let database = Database::empty();
    let server = ServerProcess::on(&database.store);
    let token = database.json(&INIT)["token"]["token"].as_str().unwrap().to_owned();
    crate::wait::wait_until("the token is known", || equals(server.status("/v1/clients", &token), "200"));
    server.signal("TERM");
    let (_, rest, _) = server.end();
    assert!(rest.starts_with("the store has no business: `leadapi init` creates the first one"), "{rest}");
}
