//! Tests of settings from the command line, the environment and a file.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;

use crate::process::{BINARY, ServerProcess, refused};

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    fs::write(&path, text).unwrap();
    path
}

/// Returns the value of a setting and its source.
fn setting(command: &mut Command, name: &str) -> (String, String) {
    let Output { status, stdout, stderr } = command.arg("--json").output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let settings: Value = serde_json::from_slice(&stdout).unwrap();
    let found = settings.as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap();
    (found["value"].as_str().unwrap().to_owned(), found["from"].as_str().unwrap().to_owned())
}

fn config(path: &PathBuf) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("config").env("LEADAPI_CONFIG", path);
    command
}

#[test]
fn precedence_is_command_line_then_environment_then_file() {
    let path = file("strength", "max-requests = 7\n");
    let from = |command: &mut Command| setting(command, "max-requests");
    let is = |value: &str, from: &str| (value.to_owned(), from.to_owned());
    assert_eq!(from(Command::new(BINARY).arg("config")), is("1024", "default"));
    assert_eq!(from(&mut config(&path)), is("7", path.to_str().unwrap()));
    assert_eq!(from(config(&path).env("LEADAPI_MAX_REQUESTS", "8")), is("8", "LEADAPI_MAX_REQUESTS"));
    let command_line = ["--max-requests", "9"];
    assert_eq!(from(config(&path).env("LEADAPI_MAX_REQUESTS", "8").args(command_line)), is("9", "command line"));
}

#[test]
fn a_server_uses_the_settings_of_a_file() {
    let path =
        file("served", "listen = \"127.0.0.1:0\"\nbase-path = \"/file\"\nmax-headers = 2\nlog-format = \"json\"\n");
    let server = ServerProcess::start(Command::new(BINARY).args(["serve", "--config"]).arg(&path));
    assert!(server.printed.contains("/file with 0 businesses"), "{}", server.printed);
    assert!(server.get("/file/leads", "").starts_with("HTTP/1.1 401"));
    assert!(server.get("/file/leads", "a: b\r\n").starts_with("HTTP/1.1 400"));
    server.signal("TERM");
    let (_, _, log) = server.end();
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!((&line["status"], &line["operation"]), (&401.into(), &"list_leads".into()), "{log}");
    assert!(line["took_ms"].is_number() && line["request_id"].is_string(), "{log}");
}

#[test]
fn the_packaged_settings_file_is_valid() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/server.toml").into();
    assert_eq!(setting(&mut config(&path), "log-format").0, "json");
}

#[test]
fn passwords_in_settings_are_redacted() {
    let path = file("password", "store = \"postgres://me:canary@127.0.0.1/leads\"\n");
    let Output { stdout, .. } = config(&path).output().unwrap();
    let text = String::from_utf8(stdout).unwrap();
    assert!(text.contains("postgres://127.0.0.1:5432/leads") && !text.contains("canary"), "{text}");
}

#[test]
fn an_invalid_setting_is_refused_by_name() {
    for (text, expected) in [
        ("lisen = \"127.0.0.1:0\"", "lisen is not a setting, did you mean listen?"),
        ("help = true", "help is not a setting"),
        ("listen = \"here\"", "listen: invalid value 'here'"),
        ("listen = [\"127.0.0.1:0\"]", "listen must be a string, a number, true or false"),
        ("idle-timeout = 5", "idle-timeout: invalid value '5'"),
        ("store = \"mysql://me:canary@db\"", "store: --store <STORE> must be memory, sqlite:PATH or postgres:"),
        ("log = \"info\"\nstore = \"postgres://u:canary@h/d", "is not valid TOML at line 2, column"),
        ("listen = \"postgres://u:canary@h/d\"", "listen: invalid value '…'"),
        (
            "max-requests = \"abc\"",
            "max-requests: invalid value 'abc' for '--max-requests <N>': must be a whole number",
        ),
        ("tls-cert = \"x.pem\"", "--tls-cert and --tls-key must be used together"),
        ("listen = \"0.0.0.0:0\"", "refusing to serve plain HTTP at 0.0.0.0:0"),
    ] {
        for command in ["serve", "config"] {
            let path = file("wrong", text);
            let error = refused(Command::new(BINARY).args([command, "--config"]).arg(&path));
            assert!(error.contains(expected) && !error.contains("canary"), "{text}: {error}");
        }
    }
    let error = refused(Command::new(BINARY).args(["serve", "--config", "nowhere.toml"]));
    assert!(error.contains("cannot read nowhere.toml"), "{error}");
    let error = refused(Command::new(BINARY).args(["serve", "--log", "a=b=c"]));
    assert!(error.contains("--log"), "{error}");
}

#[test]
fn plain_http_on_a_reachable_address_needs_a_flag() {
    let mut command = Command::new(BINARY);
    let server = ServerProcess::start(command.args(["serve", "--listen", "0.0.0.0:0", "--insecure-http"]));
    server.signal("TERM");
    let (_, _, log) = server.end();
    assert!(log.contains("WARN") && log.contains("plain HTTP"), "{log}");
}

#[test]
fn completions_and_the_manual_name_the_commands() {
    let output = Command::new(BINARY).args(["completions", "bash"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("--idle-timeout"));
    let folder = tempfile::tempdir().unwrap();
    assert!(Command::new(BINARY).arg("man").arg(folder.path()).status().unwrap().success());
    let page = fs::read_to_string(folder.path().join("leadapi-serve.1")).unwrap();
    assert!(page.contains("\\-\\-idle\\-timeout"), "{page}");
}

#[test]
fn an_unknown_variable_is_refused_with_a_hint() {
    let error = refused(Command::new(BINARY).arg("config").env("LEADAPI_MAX_REQUEST", "9"));
    assert!(error.contains("LEADAPI_MAX_REQUEST is not a setting, did you mean LEADAPI_MAX_REQUESTS?"), "{error}");
    let mut command = Command::new(BINARY);
    command.arg("config").envs([("LEADAPI_URL", "x"), ("LEADAPI_TOKEN", "x"), ("LEADAPI_PORT_80_TCP", "x")]);
    assert!(command.output().unwrap().status.success());
}

#[test]
fn an_invalid_number_or_duration_is_explained() {
    for (args, expected) in [
        (["--max-requests", "abc"], "'--max-requests <N>': must be a whole number"),
        (["--max-streams", "-1"], "'--max-streams <N>': must be a whole number"),
        (["--writes-per-minute", "0"], "'--writes-per-minute <N>': must be a whole number of at least 1"),
        (["--idle-timeout", "5"], "'--idle-timeout <TIME>': must be a duration with a unit, such as 10s or 15min"),
    ] {
        let error = refused(Command::new(BINARY).arg("serve").arg(args.join("=")));
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn the_demo_explains_that_it_stores_no_data() {
    let error = refused(Command::new(BINARY).args(["demo", "--store", "sqlite:leads.db"]));
    assert!(error.contains("for your own data") && !error.contains("--max-streams"), "{error}");
}

/// Tries special characters in the password of a URL that is passed as the store, or by mistake as another setting.
#[test]
fn no_output_reveals_a_password() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("password.db");
    for character in ["?", "@", "/", "#", "%", "'", "\"", "\\", " ", ":", "=", "&", "\u{1b}", "\n", "%3F", "%00", "a"] {
        let url = format!("postgres://u:CAN{character}ARY@127.0.0.1:1/d?sslmode=require");
        let without_at = url.replace("@127.0.0.1:1", "");
        let store = format!("sqlite:{}", path.display());
        // If the password contains `@`, the text after it would parse as a host.
        let urls = if character == "@" { vec![&url] } else { vec![&url, &without_at] };
        for url in urls {
            for args in [
                vec!["config", "--store", url],
                vec!["config", "--json", "--store", url],
                vec!["serve", "--store", url],
                vec!["migrate", "--store", url],
                vec!["serve", url],
                vec!["serve", &format!("--listen={url}")],
                vec!["serve", "--config", url],
                vec!["serve", "--data", url],
                vec!["data", "export", url, "--store", &store],
            ] {
                let Output { stdout, stderr, .. } = Command::new(BINARY).args(&args).output().unwrap();
                let text = String::from_utf8([stdout, stderr].concat()).unwrap();
                assert!(!text.contains("CAN") && !text.contains("ARY"), "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn all_values_of_a_setting_are_shown() {
    let mut command = Command::new(BINARY);
    command.args(["config", "--admin-user-header", "x-forwarded-email", "--admin-trusted", "192.0.2.7,unix"]);
    command.args(["--admin-trusted", "2001:db8::1"]);
    let shown = setting(&mut command, "admin-trusted");
    assert_eq!(shown, ("192.0.2.7,unix,2001:db8::1".to_owned(), "command line".to_owned()));
}
