//! A session does what the environment says. Each case is a process of its own, because no test can set variables for itself
//! while others run.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use leadapi_client::{Client, model::Window, testkit::cassette::Cassette, transport::InProcess};

use crate::support::{service, wait};

const CASE: &str = "LEADAPI_CASSETTE_CASE";

/// The process of a case: a program that is tested with a session, in the one line that it takes.
#[test]
fn case() {
    let Some(path) = env::var_os(CASE).map(PathBuf::from) else { return };
    let (service, token) = service();
    let session = Cassette::open(&path).mode_from_env().redact("email").wrap(InProcess::new(service));
    let session = session.unwrap_or_else(|error| panic!("refused: {error}"));
    let client = Client::builder("http://in-process/v1", token).transport(session.transport()).unwrap();
    let ask = env::var("LEADAPI_ASK").unwrap_or_default();
    for what in ask.split_terminator(',') {
        let total = match what {
            "clients" => wait(client.client_accounts().list(Window::default())).unwrap().total,
            "pipelines" => wait(client.pipelines().list(Window::default())).unwrap().total,
            _ => panic!("the test's own fault"),
        };
        println!("{what}: {total}");
    }
    println!("recording: {}", session.is_recording());
    drop(client);
    if env::var_os("LEADAPI_FORGET").is_some() {
        return;
    }
    session.finish().unwrap_or_else(|error| panic!("at the end: {error}"));
}

fn run(path: &Path, mode: Option<&str>, ask: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "modes::case", "--nocapture"]).env(CASE, path).env("LEADAPI_ASK", ask);
    command.env_remove("CI").env_remove("LEADAPI_CASSETTE");
    command.envs(mode.map(|mode| ("LEADAPI_CASSETTE", mode))).envs(variables.iter().copied());
    command.output().unwrap()
}

fn passes(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(words), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn fails(output: &Output, words: &str) {
    let said = [&output.stdout, &output.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat();
    assert!(!output.status.success() && said.contains(words), "{said}");
}

fn cassette(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("modes-{name}.har"));
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn a_recording_is_made_when_it_is_asked_for_and_replayed_otherwise() {
    let path = cassette("record");
    fails(&run(&path, None, "clients", &[]), "LEADAPI_CASSETTE=record records it");
    assert!(!path.exists());
    passes(&run(&path, Some("record"), "clients", &[]), "clients: 2\nrecording: true");
    passes(&run(&path, None, "clients", &[]), "clients: 2\nrecording: false");
    passes(&run(&path, Some("replay"), "clients", &[("CI", "true")]), "clients: 2\nrecording: false");
    passes(&run(&path, Some(""), "clients", &[]), "recording: false");
    fails(&run(&path, None, "", &[]), "entry 1 (GET /v1/clients?limit=50&offset=0) was not requested");
    fails(&run(&path, None, "pipelines", &[]), "the path is /v1/pipelines, not /v1/clients");
    let before = fs::read(&path).unwrap();
    passes(&run(&path, Some("record"), "clients", &[]), "recording: true");
    assert_eq!(fs::read(&path).unwrap(), before);
    passes(&run(&path, Some("record"), "pipelines", &[]), "pipelines: 1\nrecording: true");
    assert_ne!(fs::read(&path).unwrap(), before, "the recording is replaced");
}

#[test]
fn what_is_missing_is_recorded_once() {
    let path = cassette("record-missing");
    fails(
        &run(&path, Some("record-missing"), "clients", &[("CI", "1")]),
        "is not recorded, because the variable CI is set",
    );
    passes(&run(&path, Some("record-missing"), "clients", &[]), "recording: true");
    passes(&run(&path, Some("record-missing"), "clients", &[]), "recording: false");
    fails(&run(&path, Some("record-missing"), "clients,pipelines", &[]), "all entries were replayed");
}

#[test]
fn nothing_is_recorded_in_ci_and_no_other_mode_is_known() {
    let path = cassette("ci");
    fails(&run(&path, Some("record"), "clients", &[("CI", "true")]), "is not recorded, because the variable CI is set");
    fails(&run(&path, Some("Record"), "clients", &[]), "LEADAPI_CASSETTE must be replay, record or record-missing");
    assert!(!path.exists());
}

#[test]
fn a_test_that_fails_spoils_no_recording() {
    let path = cassette("failing");
    passes(&run(&path, Some("record"), "clients", &[]), "recording: true");
    let before = fs::read(&path).unwrap();
    let failed = run(&path, Some("record"), "pipelines,fail", &[]);
    fails(&failed, "the test's own fault");
    let said = [&failed.stdout, &failed.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat();
    assert!(!said.contains("was not finished"), "nothing is said on top of it: {said}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_deck_that_is_not_finished_says_so() {
    let path = cassette("forgotten");
    fails(&run(&path, Some("record"), "clients", &[("LEADAPI_FORGET", "1")]), "its recording was not finished");
    assert!(!path.exists());
    passes(&run(&path, Some("record"), "clients", &[]), "recording: true");
    passes(&run(&path, None, "clients", &[("LEADAPI_FORGET", "1")]), "recording: false");
    fails(&run(&path, None, "", &[("LEADAPI_FORGET", "1")]), "was not requested");
}
