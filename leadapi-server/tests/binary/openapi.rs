//! `openapi`.

use std::process::Command;

use crate::process::{BINARY, refused};

#[test]
fn the_description_is_the_one_that_is_kept_but_for_the_base_path() {
    let printed = |arguments: &[&str]| {
        let output = Command::new(BINARY).arg("openapi").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let kept = include_str!("../../../leadapi-core/openapi.json");
    assert_eq!(printed(&[]), kept);
    let elsewhere = printed(&["--base-path", "/crm"]);
    assert_eq!(elsewhere, kept.replace(r#""url": "/v1""#, r#""url": "/crm""#));
    assert_ne!(elsewhere, kept);
    let log = refused(Command::new(BINARY).args(["openapi", "--base-path", "crm/"]));
    assert!(log.contains("--base-path") && log.contains("crm/"), "{log}");
}
