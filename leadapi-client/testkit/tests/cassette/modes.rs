//! Tests that a session takes its mode from the environment. Each case runs in a separate process, because a test
//! cannot safely change its own environment while other tests run.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use leadapi_client::{Client, model::Window, transport::InProcess};
use leadapi_testkit::cassette::Cassette;

use crate::support::{service, wait};

const CASE: &str = "LEADAPI_CASSETTE_CASE";

/// The program that each case runs in a child process. It sends its requests through a session.
#[test]
fn case() {
    let Some(path) = env::var_os(CASE).map(PathBuf::from) else { return };
    let (service, token) = service();
    let session = Cassette::open(&path).mode_from_env().redact("email").wrap(InProcess::new(service));
    let session = session.unwrap_or_else(|error| panic!("refused: {error}"));
    let client = Client::builder("http://in-process/v1", token).transport(session.transport()).build().unwrap();
    let requests = env::var("LEADAPI_REQUESTS").unwrap_or_default();
    for what in requests.split_terminator(',') {
        let total = match what {
            "clients" => wait(client.client_accounts().list(Window::default())).unwrap().total,
            "pipelines" => wait(client.pipelines().list(Window::default())).unwrap().total,
            _ => panic!("the test's own failure"),
        };
        println!("{what}: {total}");
    }
    println!("recording: {}", session.is_recording());
    drop(client);
    if env::var_os("LEADAPI_FORGET").is_some() {
        return;
    }
    session.finish().unwrap_or_else(|error| panic!("finish failed: {error}"));
}

fn run(path: &Path, mode: Option<&str>, requests: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "modes::case", "--nocapture"]).env(CASE, path).env("LEADAPI_REQUESTS", requests);
    command.env_remove("CI").env_remove("LEADAPI_CASSETTE");
    command.envs(mode.map(|mode| ("LEADAPI_CASSETTE", mode))).envs(variables.iter().copied());
    command.output().unwrap()
}

fn passes(output: &Output, words: &str) {
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && output_text.contains(words),
        "{output_text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn fails(output: &Output, words: &str) {
    let output_text = [&output.stdout, &output.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat();
    assert!(!output.status.success() && output_text.contains(words), "{output_text}");
}

fn cassette(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("modes-{name}.har"));
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn the_mode_record_records_and_the_default_replays() {
    let path = cassette("record");
    fails(&run(&path, None, "clients", &[]), "set LEADAPI_CASSETTE=record to record it");
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
fn the_mode_record_missing_records_only_a_missing_file() {
    let path = cassette("record-missing");
    fails(&run(&path, Some("record-missing"), "clients", &[("CI", "1")]), "was not recorded, because CI is set");
    passes(&run(&path, Some("record-missing"), "clients", &[]), "recording: true");
    passes(&run(&path, Some("record-missing"), "clients", &[]), "recording: false");
    fails(&run(&path, Some("record-missing"), "clients,pipelines", &[]), "all entries were replayed");
}

#[test]
fn recording_in_ci_and_unknown_modes_are_refused() {
    let path = cassette("ci");
    fails(&run(&path, Some("record"), "clients", &[("CI", "true")]), "was not recorded, because CI is set");
    fails(&run(&path, Some("Record"), "clients", &[]), "LEADAPI_CASSETTE must be replay, record or record-missing");
    assert!(!path.exists());
}

#[test]
fn a_failing_test_does_not_overwrite_the_recording() {
    let path = cassette("failing");
    passes(&run(&path, Some("record"), "clients", &[]), "recording: true");
    let before = fs::read(&path).unwrap();
    let failed = run(&path, Some("record"), "pipelines,fail", &[]);
    fails(&failed, "the test's own failure");
    let output_text = [&failed.stdout, &failed.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat();
    assert!(!output_text.contains("was not saved"), "the session panics too: {output_text}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_unfinished_session_panics() {
    let path = cassette("forgotten");
    fails(&run(&path, Some("record"), "clients", &[("LEADAPI_FORGET", "1")]), "was not saved; call finish()");
    assert!(!path.exists());
    passes(&run(&path, Some("record"), "clients", &[]), "recording: true");
    passes(&run(&path, None, "clients", &[("LEADAPI_FORGET", "1")]), "recording: false");
    fails(&run(&path, None, "", &[("LEADAPI_FORGET", "1")]), "was not requested");
}
