//! Tests of the `serve` and `demo` commands with in-memory data.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::process::{BINARY, SECRET, ServerProcess, data_file, read_secrets, refused, secrets_path, serve};

#[test]
fn the_demo_prints_valid_tokens_and_sample_requests() {
    let server = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    let tokens: Vec<&str> = server.printed.lines().filter_map(|line| line.strip_prefix("  pak_")).collect();
    assert_eq!(tokens.len(), 7, "{}", server.printed);
    assert_eq!(server.printed.matches("curl -s").count(), 3);
    assert!(server.printed.contains("lost at exit"));
    let links = server.printed.lines().filter_map(|line| line.rsplit_once("  http://").map(|(_, link)| link));
    let opened: Vec<String> = links
        .map(|link| {
            let (host, path) = link.split_once('/').unwrap();
            let mut stream = TcpStream::connect(host).unwrap();
            write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer.lines().next().unwrap()["HTTP/1.1 ".len()..].to_owned()
        })
        .collect();
    assert_eq!(opened, ["200 OK"; 3], "{}", server.printed);
    let statuses = tokens.iter().map(|line| {
        let bearer = format!("authorization: Bearer pak_{}\r\n", line.split(' ').next().unwrap());
        server.get("/v1/leads", &bearer).lines().next().unwrap().to_owned()
    });
    let statuses: Vec<String> = statuses.map(|line| line.replace("HTTP/1.1 ", "")[..3].to_owned()).collect();
    assert_eq!(statuses, ["200", "200", "403", "200", "401", "401", "200"]);
    let body = server.printed.split("-d '").nth(1).unwrap().split('\'').next().unwrap();
    let token = tokens[0].split(' ').next().unwrap();
    let head = format!("POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    let answer = server.send(&format!("{head}authorization: Bearer pak_{token}\r\n\r\n{body}"));
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    server.signal("INT");
    let (success, rest, _) = server.end();
    assert!(success && rest.contains("has stopped"), "{rest}");
}

#[test]
fn given_secrets_are_kept_and_new_ones_are_written_to_a_file() {
    let data = data_file(
        "tokens",
        &format!(
            r#"{{"name": "own", "scopes": ["read"], "token": "{SECRET}"}}, {{"name": "new", "scopes": ["write"]}}"#
        ),
    );
    let server = ServerProcess::start(&mut serve(&data));
    assert!(!server.printed.contains("pak_") && server.printed.contains("the secret of 1 new token is in "));
    let secrets = secrets_path(&data);
    assert_eq!(fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o600);
    let error = refused(&mut serve(&data));
    assert!(error.contains("tokens.json.tokens already exists: move it"), "{error}");
    let error = refused(serve(&data).args(["--new-tokens", "/nowhere/tokens"]));
    assert!(error.contains("/nowhere/tokens: No such file"), "{error}");
    let issued = read_secrets(&data);
    assert_eq!((&issued[0]["name"], issued.as_array().unwrap().len()), (&"new".into(), 1));
    let issued = issued[0]["token"].as_str().unwrap().to_owned();
    let answer = server.get("/v1/clients", &format!("authorization: Bearer {SECRET}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let answer = server.get("/v1/clients", &format!("authorization: Bearer {issued}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 403 Forbidden"), "{answer}");
    server.signal("TERM");
    let (_, rest, log) = server.end();
    for secret in [SECRET, &issued] {
        assert!(!rest.contains(secret) && !log.contains(secret));
    }
}

/// A failed start must not leave a secrets file behind, because an existing file would make the next start fail.
#[test]
fn a_failed_start_leaves_no_secrets_file() {
    let data = data_file("no-start", r#"{"name": "new", "scopes": ["write"]}"#);
    let running = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    let mut command = Command::new(BINARY);
    let error = refused(command.args(["serve", "--listen", &running.address, "--data"]).arg(&data));
    assert!(error.contains("cannot listen"), "{error}");
    assert!(!secrets_path(&data).exists());
}

/// The `script` program runs the server on a terminal.
#[test]
fn new_secrets_are_printed_on_a_terminal() {
    let data = data_file("terminal", r#"{"name": "new", "scopes": ["write"]}"#);
    let shell = format!("exec {BINARY} serve --listen 127.0.0.1:0 --data {}", data.display());
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &shell, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let printed: Vec<String> = lines.by_ref().take_while(|line| !line.contains("listens at")).collect();
    // Ctrl-C. If the test killed `script` instead, the server would go on running wherever SIGHUP is ignored.
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    assert!(lines.any(|line| line.contains("has stopped")));
    assert!(child.wait().unwrap().success());
    assert!(printed.iter().any(|line| line.starts_with("token \"new\" of \"B\" (write): pak_")), "{printed:?}");
    assert!(!secrets_path(&data).exists());
}

#[test]
fn the_data_file_in_the_readme_is_served() {
    let readme = include_str!("../../README.md");
    let file = readme.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme.json");
    fs::write(&path, file).unwrap();
    fs::remove_file(secrets_path(&path)).unwrap_or_default();
    let server = ServerProcess::start(&mut serve(&path));
    assert!(server.printed.contains("with 1 business,"), "{}", server.printed);
    server.signal("TERM");
    assert!(server.end().0);
}

#[test]
fn a_second_signal_forces_the_shutdown() {
    let data = data_file("second", &format!(r#"{{"name": "own", "scopes": ["write"], "token": "{SECRET}"}}"#));
    let server = ServerProcess::start(serve(&data).args(["--stop-timeout", "1h", "--body-timeout", "1h"]));
    let _running = server.request_that_waits_for_its_body();
    server.signal("TERM");
    server.wait_until_refused();
    server.signal("TERM");
    let (code, log) = server.code();
    // The exit code of a forced shutdown.
    assert_eq!(code, Some(3), "{log}");
}

#[test]
fn the_server_survives_a_closed_output_pipe() {
    let mut server = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    // Replacing the reader closes the server's output pipe, so the server cannot write its last line.
    server.stdout = BufReader::new(Command::new("true").stdout(Stdio::piped()).spawn().unwrap().stdout.take().unwrap());
    server.signal("TERM");
    let (success, _, log) = server.end();
    assert!(success && !log.contains("panicked"), "{log}");
}

#[test]
fn an_invalid_file_is_refused_with_the_location_and_the_reason() {
    for (name, tokens, message) in [
        ("scope", r#"{"name": "t", "scopes": ["admin"]}"#, "unknown variant `admin`, expected `read` or `write`"),
        ("none", r#"{"name": "t", "scopes": []}"#, "the scopes of a token must be read, write or both"),
        (
            "checksum",
            r#"{"name": "t", "scopes": ["read"], "token": "pak_00000000000000000000000000000000000000000002OZByo"}"#,
            "checksum.json: invalid data at businesses[0].tokens[0].token: is not a token, or its checksum is wrong",
        ),
        ("syntax", "{", "syntax.json: invalid data at line 3 column"),
        ("typo", r#"{"name": "t", "scope": ["read"]}"#, "unknown field `scope`"),
    ] {
        let error = refused(&mut serve(&data_file(name, tokens)));
        assert!(error.contains(message), "{name}: {error}");
        assert!(!error.contains("pak_0"), "{error}");
    }
    let error = refused(&mut serve(&"nowhere.json".into()));
    assert!(error.contains("cannot read nowhere.json"), "{error}");
}

#[test]
fn an_invalid_address_or_base_path_is_refused() {
    let server = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    let error = refused(Command::new(BINARY).args(["serve", "--listen", &server.address]));
    assert!(error.contains(&format!("cannot listen on {}", server.address)), "{error}");
    let error = refused(Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0", "--base-path", "v1/"]));
    assert!(error.contains("--base-path"), "{error}");
    server.signal("TERM");
    server.end();
}

#[test]
fn settings_are_read_from_the_environment() {
    let data = data_file("environment", &format!(r#"{{"name": "own", "scopes": ["read"], "token": "{SECRET}"}}"#));
    let mut command = Command::new(BINARY);
    command.arg("serve").env("LEADAPI_LISTEN", "127.0.0.1:0").env("LEADAPI_DATA", data);
    command.env("LEADAPI_BASE_PATH", "/api").env("LEADAPI_READS_PER_MINUTE", "2");
    let server = ServerProcess::start(&mut command);
    let statuses = (0..3).map(|_| {
        let answer = server.get("/api/clients", &format!("authorization: Bearer {SECRET}\r\n"));
        answer["HTTP/1.1 ".len()..][..3].to_owned()
    });
    assert_eq!(statuses.collect::<Vec<_>>(), ["200", "200", "429"]);
    server.signal("TERM");
    server.end();
}

#[test]
fn valid_request_ids_are_kept_and_invalid_ones_replaced() {
    let server = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    let id_of = |headers: &str| {
        let answer = server.get("/v1/nowhere", headers);
        let line = answer.lines().find_map(|line| line.strip_prefix("x-request-id: "));
        line.unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let longest = "~".repeat(128);
    assert_eq!(id_of("X-Request-Id: a!\r\n"), "a!");
    assert_eq!(id_of(&format!("x-request-id: {longest}\r\n")), longest);
    for bad in [
        "",
        "x-request-id: \r\n",
        "x-request-id: a b\r\n",
        "x-request-id: é\r\n",
        "x-request-id: a\r\nx-request-id: a\r\n",
    ] {
        assert_eq!(id_of(bad).len(), 36, "{bad:?}");
    }
    assert_eq!(id_of(&format!("x-request-id: {longest}~\r\n")).len(), 36);
    server.signal("TERM");
    server.end();
}

#[test]
fn the_log_has_one_line_per_request_without_personal_data() {
    let data = data_file("log", &format!(r#"{{"name": "own", "scopes": ["read", "write"], "token": "{SECRET}"}}"#));
    let server = ServerProcess::start(&mut serve(&data));
    let bearer = format!("authorization: Bearer {SECRET}\r\nx-request-id: the-id\r\n");
    server.get("/v1/leads?client_id=canary-query", &bearer);
    server.get(&format!("/v1/leads/{SECRET}"), &bearer.replace("the-id", "misplaced"));
    server.get(&format!("/{}", "long".repeat(999)), "x-request-id: long\r\n");
    let body = r#"{"client_id":"c1","name":"canary-body"}"#;
    let head =
        format!("POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{bearer}content-length: {}", body.len());
    assert!(server.send(&format!("{head}\r\n\r\n{body}")).starts_with("HTTP/1.1 201"));
    server.signal("TERM");
    let (_, _, log) = server.end();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("the-id")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    for (line, parts) in lines.iter().zip([["list_leads", "status=403"], ["create_lead", "status=201"]]) {
        for part in parts.iter().chain(&["business=b1", "token=", "took_ms="]) {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    assert!(!log.contains("canary") && !log.contains("pak_"), "{log}");
    assert!(log.lines().all(|line| line.len() < 600), "{log}");
}

/// The shutdown waits for a request whose body has not arrived, although the server already refuses new connections.
#[test]
fn sigterm_waits_for_an_in_flight_request() {
    let data = data_file("sigterm", &format!(r#"{{"name": "own", "scopes": ["write"], "token": "{SECRET}"}}"#));
    let server = ServerProcess::start(&mut serve(&data));
    let (mut stream, body) = server.request_that_waits_for_its_body();
    server.signal("TERM");
    server.wait_until_refused();
    // A shutdown that does not wait would be over before the server has refused 2,000 connections.
    assert!((0..2_000).all(|_| TcpStream::connect(&server.address).is_err()));
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created"), "{answer}");
    assert!(server.end().0);
}

#[test]
fn invalid_http_is_refused_and_the_server_continues() {
    let server = ServerProcess::start(Command::new(BINARY).args(["demo", "--listen", "127.0.0.1:0"]));
    assert!(server.send("NONSENSE\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(server.send(&format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000))).starts_with("HTTP/1.1 431"));
    assert!(server.get("/v1/leads", "").starts_with("HTTP/1.1 401"));
    server.signal("TERM");
    server.end();
}

#[test]
fn help_explains_every_setting() {
    let help = Command::new(BINARY).args(["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for part in [
        "--listen",
        "--store",
        "--postgres-connections",
        "--base-path",
        "--data",
        "--reads-per-minute",
        "--writes-per-minute",
        "LEADAPI_LISTEN",
        "600",
        "60",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
