//! Tests of hostile input, races, and data that must not leak.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    thread,
    time::Instant,
};

use super::{ADMIN, SAME_ORIGIN, Site, path, status, tokens::newest};
use crate::process::{BINARY, OWNER, ServerProcess, wait_until};

#[test]
fn concurrent_rotations_replace_a_token_once() {
    let site = Site::new(&[]);
    let ann = site.sign_in("owner@harbour.example");
    site.database.token();
    let rotate = format!("tokens/{}/rotate", newest(&site));
    let (before, form) = (site.database.json(&[&["token", "list"][..], &OWNER].concat()), "overlap=7&expires=90");
    let answers: Vec<String> = thread::scope(|scope| {
        let rotations: Vec<_> = (0..8).map(|_| scope.spawn(|| ann.submit(&rotate, &rotate, form))).collect();
        rotations.into_iter().map(|rotation| rotation.join().unwrap()).collect()
    });
    let mut statuses: Vec<&str> = answers.iter().map(|answer| status(answer)).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [&["200"][..], &["409"; 7]].concat());
    let after = site.database.json(&[&["token", "list"][..], &OWNER].concat());
    assert_eq!(after.as_array().unwrap().len(), before.as_array().unwrap().len() + 1);
}

#[test]
fn no_secret_is_logged() {
    let site = Site::new(&["--log", "trace"]);
    let link = site.link("owner@harbour.example");
    site.send("GET", &format!("/sign-in/{link}"), "", "");
    let ann = site.sign_in("owner@harbour.example");
    site.use_link(&link);
    site.use_link(&link);
    let page = ann.submit("tokens/new", "tokens", "name=secret&scope=read&expires=90");
    let token = page.split("value=\"pak_").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(site.server.status("/v1/clients", &format!("pak_{token}")), "200");
    let cookie = ann.cookie.split_once('=').unwrap().1.to_owned();
    let Site { server, .. } = site;
    server.signal("TERM");
    let (succeeded, _, log) = server.end();
    assert!(succeeded && log.contains("shutting down"), "{log}");
    for secret in [link, token, cookie] {
        assert!(!log.contains(&secret), "{log}");
    }
}

#[test]
fn markup_in_a_name_is_shown_as_text() {
    let site = Site::new(&[]);
    let ann = site.sign_in("owner@harbour.example");
    let form = "name=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&scope=read&expires=90";
    let created = ann.submit("tokens/new", "tokens", form);
    let again = ann.submit("tokens/new", "tokens", form);
    let id = newest(&site);
    let pages = [format!("tokens/{id}/rotate"), "tokens".to_owned(), "audit".to_owned()].map(|page| ann.get(&page));
    for page in pages.iter().chain([&created, &again]) {
        assert!(page.contains("&quot;&gt;&lt;script&gt;") && !page.contains("<script"), "{page}");
    }
}

#[test]
fn a_large_form_is_refused() {
    let site = Site::new(&[]);
    let ann = site.sign_in("owner@harbour.example");
    let page = ann.submit("tokens/new", "tokens", &format!("name=x&scope=read&expires=90&fill={}", "x".repeat(20_000)));
    assert!(status(&page) == "400" && page.contains("too large"), "{page}");
}

#[test]
fn an_in_flight_form_is_answered_before_the_server_exits() {
    let site = Site::new(&[]);
    let ann = site.sign_in("owner@harbour.example");
    let page = ann.get("tokens/new");
    let token = page.rsplit("name=\"form_token\" value=\"").next().unwrap().split('"').next().unwrap();
    let form = format!("name=late&scope=read&expires=90&form_token={token}");
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: {}\r\n{SAME_ORIGIN}cookie: {}\r\nexpect: 100-continue\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n",
        path("tokens"),
        site.address,
        ann.cookie,
        form.len()
    );
    let mut stream = TcpStream::connect(&site.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    // The server sends `100 Continue` only when it waits for the form.
    let mut proceed = [0; 25];
    stream.read_exact(&mut proceed).unwrap();
    assert_eq!(&proceed, b"HTTP/1.1 100 Continue\r\n\r\n");
    site.server.signal("TERM");
    for address in [&site.server.address, &site.address] {
        wait_until("the server refuses connections", || TcpStream::connect(address).is_err());
    }
    stream.write_all(form.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(status(&answer) == "200" && answer.contains("value=\"pak_"), "{answer}");
    let (succeeded, _, log) = site.server.end();
    assert!(succeeded, "{log}");
}

#[test]
fn failures_through_a_proxy_count_for_the_forwarded_address() {
    let site = Site::new(&["--admin-user-header", "x-forwarded-email", "--admin-trusted", "127.0.0.1"]);
    let get = |person: &str, address: &str| {
        let headers = format!("x-forwarded-email: {person}\r\nx-forwarded-for: {address}\r\n");
        status(&site.send("GET", &path("tokens"), &headers, "")).to_owned()
    };
    let eve = "eve@harbour.example";
    let statuses: Vec<String> = (0..14).map(|host| get(eve, &format!("2001:db8::{host}"))).collect();
    assert_eq!(statuses[..10], ["404"; 10]);
    assert!(statuses.contains(&"429".to_owned()), "{statuses:?}");
    assert_eq!(get(eve, "2001:db8:0:1::1"), "404");
    assert_eq!(get(ADMIN, "2001:db8::1"), "200");
}

/// A program that the proxy has verified might not keep cookies.
#[test]
fn a_person_without_a_cookie_starts_few_sessions() {
    let site = Site::new(&["--admin-user-header", "x-forwarded-email", "--admin-trusted", "127.0.0.1"]);
    let verified = format!("x-forwarded-email: {ADMIN}\r\n");
    let get = |headers: &str| site.send("GET", &path("tokens"), headers, "");
    let ann = site.sign_in("owner@harbour.example");
    let refused = (0..1_000).map(|_| get(&verified)).find(|answer| status(answer) != "200").unwrap();
    assert!(status(&refused) == "429" && refused.contains("retry-after: 60\r\n"), "{refused}");
    assert!(refused.contains("The business got 60 new sessions within a minute: try again in a minute."), "{refused}");
    assert_eq!(status(&ann.get("tokens")), "200");
    let link = site.link("owner@harbour.example");
    assert_eq!(status(&site.use_link(&link)), "429");
    let log = site.database.json(&[&["audit", "list", "--limit", "200"][..], &OWNER].concat());
    let sign_ins = log.as_array().unwrap().iter().filter(|entry| entry["action"] == "signed_in_by_proxy").count();
    assert!((59..180).contains(&sign_ins), "{sign_ins} sign-ins");
}

/// The browser sends no `SameSite=Strict` cookie with these requests, so each of them would start a session.
#[test]
fn another_site_cannot_start_a_session() {
    let site = Site::new(&["--admin-user-header", "x-forwarded-email", "--admin-trusted", "127.0.0.1"]);
    let get = |page: &str, from: &str| {
        let headers = format!("x-forwarded-email: {ADMIN}\r\nsec-fetch-site: {from}\r\n");
        site.send("GET", page, &headers, "")
    };
    let answer = get(&path("tokens"), "cross-site");
    assert!(status(&answer) == "403" && !answer.contains("set-cookie"), "{answer}");
    let log = site.database.json(&[&["audit", "list"][..], &OWNER].concat());
    assert_eq!(log, serde_json::json!([]));
    assert_eq!(status(&get("/", "cross-site")), "200");
    for from in ["same-origin", "none"] {
        assert_eq!(status(&get(&path("tokens"), from)), "200", "{from}");
    }
}

/// Anybody can make up cookies, and each lookup of one fails while the database is down.
#[test]
fn log_lines_of_forged_cookies_are_limited_while_the_store_fails() {
    const REQUESTS: usize = 1_000;
    let mut site = Site::new(&["--ops-listen", "127.0.0.1:0"]);
    let mut stderr = site.server.child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });
    let ann = site.sign_in("owner@harbour.example");
    let (name, _) = ann.cookie.split_once('=').unwrap();
    site.database.open().execute_batch("ALTER TABLE session RENAME TO lost").unwrap();
    let begun = Instant::now();
    let mut stream = TcpStream::connect(&site.address).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let answers = thread::spawn(move || {
        let mut answers = String::new();
        reader.read_to_string(&mut answers).unwrap();
        answers
    });
    for nth in 1..=REQUESTS {
        let last = if nth == REQUESTS { "connection: close\r\n" } else { "" };
        let head = format!("GET {} HTTP/1.1\r\nhost: {}\r\n{last}", path("tokens"), site.address);
        write!(stream, "{head}cookie: {name}={nth:043}\r\n\r\n").unwrap();
    }
    assert_eq!(answers.join().unwrap().matches("HTTP/1.1 500").count(), REQUESTS);
    let allowed = 200 + usize::try_from(begun.elapsed().as_millis() / 100).unwrap() + 1;
    let suppressed = metric(&site.server, "leadapi_log_lines_suppressed_total");
    site.server.signal("TERM");
    let lines = log.join().unwrap().matches("an API settings request failed").count();
    assert!(lines >= 200 && lines <= allowed, "{lines} lines, {allowed} allowed");
    assert_eq!(lines + suppressed, REQUESTS);
}

/// Reads a metric from the operator endpoints.
fn metric(server: &ServerProcess, name: &str) -> usize {
    let mut operator = TcpStream::connect(server.listener("operator endpoints").unwrap()).unwrap();
    operator.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut metrics = String::new();
    operator.read_to_string(&mut metrics).unwrap();
    metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap()
}

#[cfg(unix)]
#[test]
fn only_a_socket_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("leads.db");
    fs::write(&file, "data").unwrap();
    let listen = format!("unix:{}", file.display());
    let output = Command::new(BINARY)
        .args(["serve", "--listen", "127.0.0.1:0", "--admin-url", "https://settings.example.com", "--admin-listen"])
        .arg(listen)
        .output()
        .unwrap();
    assert!(!output.status.success() && String::from_utf8(output.stderr).unwrap().contains("in use"));
    assert_eq!(fs::read(&file).unwrap(), b"data");
}
