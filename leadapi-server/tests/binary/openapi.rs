//! The `openapi` command.

use std::process::Command;

use serde_json::{Value, json};

use crate::process::{BINARY, refused};

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(BINARY).arg("openapi").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_printed_document_differs_from_the_file_only_in_the_base_path() {
    let committed = include_str!("../../../leadapi-core/openapi.json");
    assert_eq!(printed(&[]), committed);
    let elsewhere = printed(&["--base-path", "/crm"]);
    assert_eq!(elsewhere, committed.replace(r#""url": "/v1""#, r#""url": "/crm""#));
    assert_ne!(elsewhere, committed);
    let log = refused(Command::new(BINARY).args(["openapi", "--base-path", "crm/"]));
    assert!(log.contains("--base-path") && log.contains("crm/"), "{log}");
}

#[test]
fn the_document_lists_the_given_servers() {
    let (production, staging) = ("https://api.example.com/v1", "https://staging.example.com/crm/v1");
    let document: Value = serde_json::from_str(&printed(&["--server", production, "--server", staging])).unwrap();
    assert_eq!(document["servers"], json!([{ "url": production }, { "url": staging }]));
    for relative in ["/v1", "api.example.com/v1", "ftp://api.example.com/v1"] {
        let log = refused(Command::new(BINARY).args(["openapi", "--server", relative]));
        assert!(log.contains("must be an absolute http or https URL"), "{log}");
    }
}
