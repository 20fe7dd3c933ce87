//! Tests of the commands `openapi` and `docs`.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::process::{BINARY, refused};

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(BINARY).arg("openapi").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_printed_document_differs_from_the_file_only_in_the_base_path() {
    let committed = include_str!("../../../../leadapi-core/openapi.json");
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

/// The page for a static host has the same description as the server, and may connect to the given server.
#[test]
fn docs_writes_the_reference_and_replaces_only_its_own_files_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site/reference");
    let url = "https://api.example.com/crm/v1";
    let docs = || {
        let mut command = Command::new(BINARY);
        command.arg("docs").arg(&site).args(["--server", url]);
        command
    };
    fs::create_dir_all(&site).unwrap();
    fs::write(site.join("CNAME"), "reference.example.com").unwrap();
    let output = docs().output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(fs::read_to_string(site.join("docs/openapi.json")).unwrap(), printed(&["--server", url]));
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(page.contains("connect-src 'self' https://api.example.com;"), "{page}");

    // A single file from an earlier run makes the command fail before it writes anything.
    fs::remove_file(site.join("index.html")).unwrap();
    fs::write(site.join("docs/page.js"), "edited").unwrap();
    let log = refused(&mut docs());
    assert!(log.contains("already exists; use --force to replace it"), "{log}");
    assert!(!site.join("index.html").exists());
    assert!(docs().arg("--force").status().unwrap().success());
    assert_eq!(fs::read_to_string(site.join("index.html")).unwrap(), page);
    assert_ne!(fs::read_to_string(site.join("docs/page.js")).unwrap(), "edited");
    assert_eq!(fs::read_to_string(site.join("CNAME")).unwrap(), "reference.example.com");
}

#[cfg(unix)]
#[test]
fn docs_writes_to_no_file_outside_the_folder() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let (site, outside) = (folder.path().join("site"), folder.path().join("outside"));
    let docs = |args: &[&str]| Command::new(BINARY).arg("docs").arg(&site).args(args).output().unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(&site).unwrap();
    fs::write(outside.join("index.html"), "mine").unwrap();
    symlink(outside.join("index.html"), site.join("index.html")).unwrap();
    symlink(&outside, site.join("docs")).unwrap();
    assert!(!docs(&[]).status.success());
    assert!(docs(&["--force"]).status.success());
    assert_eq!(fs::read_to_string(outside.join("index.html")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(site.join("index.html").symlink_metadata().unwrap().is_file());
    assert!(site.join("docs").symlink_metadata().unwrap().is_dir());
}
