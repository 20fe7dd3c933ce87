//! Tests of what happens to the rights and the tokens of a person who leaves the business.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use super::{ADMIN, Browser, SAME_ORIGIN, Site, path, status};
use crate::process::{BUSINESS, OWNER};

/// The head and the first bytes of a form that creates a token.
struct HeldForm {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl HeldForm {
    /// Sends the start of the form, once the server waits for it.
    fn start(site: &Site, browser: &Browser<'_>) -> Self {
        let page = browser.get("tokens/new");
        let token = page.rsplit("name=\"form_token\" value=\"").next().unwrap().split('"').next().unwrap();
        let form = format!("name=held&scope=read&expires=never&form_token={token}");
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{SAME_ORIGIN}cookie: {}\r\n\
             expect: 100-continue\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n",
            path("tokens"),
            site.address,
            browser.cookie,
            form.len()
        );
        let mut stream = TcpStream::connect(&site.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut proceed = [0; 25];
        stream.read_exact(&mut proceed).unwrap();
        assert_eq!(&proceed, b"HTTP/1.1 100 Continue\r\n\r\n");
        let (start, rest) = form.as_bytes().split_at(5);
        stream.write_all(start).unwrap();
        Self { stream, rest: rest.to_vec() }
    }

    fn finish(mut self) -> String {
        self.stream.write_all(&self.rest).unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

fn tokens(site: &Site) -> usize {
    site.database.json(&[&["token", "list"][..], &OWNER].concat()).as_array().unwrap().len()
}

#[test]
fn a_held_form_creates_no_token_after_the_person_lost_the_right() {
    let site = Site::new(&[]);
    let before = tokens(&site);
    let held = HeldForm::start(&site, &site.sign_in(ADMIN));
    site.database.run(&["member", "role", ADMIN, "member", "--business", BUSINESS]);
    let answer = held.finish();
    assert!(status(&answer) == "403" && !answer.contains("pak_"), "{answer}");

    site.database.run(&["member", "role", ADMIN, "admin", "--business", BUSINESS]);
    let ben = site.sign_in(ADMIN);
    let held = HeldForm::start(&site, &ben);
    assert_eq!(status(&ben.submit("tokens", "sign-out", "")), "200");
    let answer = held.finish();
    assert!(status(&answer) == "403" && !answer.contains("pak_"), "{answer}");

    let held = HeldForm::start(&site, &site.sign_in(ADMIN));
    site.database.run(&["member", "remove", ADMIN, "--business", BUSINESS]);
    let answer = held.finish();
    assert!(status(&answer) == "403" && !answer.contains("pak_"), "{answer}");
    assert_eq!(tokens(&site), before);
}

#[test]
fn changes_to_members_are_in_the_audit_log() {
    let site = Site::new(&[]);
    for args in [
        &["member", "add", "new@harbour.example", "--role", "admin"][..],
        &["member", "role", "new@harbour.example", "member"],
        &["member", "rename", "new@harbour.example", "--to", "old@harbour.example"],
        &["member", "remove", "old@harbour.example"],
    ] {
        site.database.run(&[args, &["--business", BUSINESS]].concat());
    }
    let log = site.database.json(&[&["audit", "list"][..], &OWNER].concat());
    let mut found: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| ["action", "email", "detail"].map(|key| entry[key].as_str().unwrap_or_default().to_owned()))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            ["member_added", "new@harbour.example", "admin"],
            ["member_removed", "old@harbour.example", ""],
            ["member_renamed", "new@harbour.example", "old@harbour.example"],
            ["member_role_changed", "new@harbour.example", "from admin to member"],
        ]
    );
    let page = site.sign_in("owner@harbour.example").get("audit");
    assert!(page.contains("got another role") && page.contains("from admin to member"), "{page}");
}

#[test]
fn the_tokens_of_a_removed_member_are_listed_and_can_be_revoked() {
    let site = Site::new(&[]);
    let create = |person: &str, name: &str| {
        let args = ["token", "create", "--business", BUSINESS, "--as", person, "--name", name, "--scope", "read"];
        site.database.json(&args)["token"].as_str().unwrap().to_owned()
    };
    let kept = create("owner@harbour.example", "kept");
    let first = create(ADMIN, "first");
    // A token still belongs to its creator after the creator's address has changed.
    site.database.run(&["member", "rename", ADMIN, "--to", "ben@harbour.example", "--business", BUSINESS]);
    let removed = site.database.run(&["member", "remove", "ben@harbour.example", "--business", BUSINESS]);
    assert!(removed.contains("1 token that this member created, still valid"), "{removed}");
    assert!(removed.contains("\"first\"") && !removed.contains("kept"), "{removed}");
    assert_eq!(site.server.status("/v1/clients", &first), "200");

    site.database.run(&["member", "add", ADMIN, "--role", "admin", "--business", BUSINESS]);
    let second = create(ADMIN, "second");
    let removed = site.database.json(&["member", "remove", ADMIN, "--revoke-tokens", "--business", BUSINESS]);
    assert_eq!((&removed["tokens"][0]["name"], &removed["tokens_revoked"]), (&"second".into(), &true.into()));
    assert_eq!(removed["tokens"].as_array().unwrap().len(), 1);
    assert_eq!(site.server.status("/v1/clients", &second), "401");
    assert_eq!(site.server.status("/v1/clients", &kept), "200");
    let log = site.database.json(&[&["audit", "list"][..], &OWNER].concat());
    let entry = log.as_array().unwrap().iter().find(|entry| entry["action"] == "token_revoked_on_removal").unwrap();
    assert_eq!((&entry["email"], &entry["token_name"]), (&ADMIN.into(), &"second".into()));
}
