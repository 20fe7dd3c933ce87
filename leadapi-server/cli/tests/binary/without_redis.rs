//! Tests a binary without the `redis` feature.

use std::process::Command;

use crate::process::BINARY;

#[test]
fn a_limiter_url_is_refused_with_the_missing_feature() {
    let url = "redis://u:CANARY@127.0.0.1";
    let output = Command::new(BINARY).args(["serve", "--limiter", url]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--limiter <URL> cannot be used"), "{error}");
    assert!(error.contains("built without the `redis` feature") && !error.contains("CANARY"), "{error}");
}
