//! Tests a binary without the optional features.

use std::process::Command;

use crate::process::BINARY;

#[test]
fn options_and_commands_of_missing_features_name_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("server.toml");
    std::fs::write(&settings, "acme-domain = \"leads.example\"\n").unwrap();
    let settings = settings.to_str().unwrap();
    for (args, variables, refused, feature) in [
        (&["serve", "--limiter", "redis://u:CANARY@127.0.0.1"][..], None, "--limiter", "redis"),
        (&["serve", "--mcp-listen=127.0.0.1:0"], None, "--mcp-listen", "mcp"),
        (&["demo", "--otlp-endpoint", "http://127.0.0.1:4318"], None, "--otlp-endpoint", "otlp"),
        (&["serve", "--acme-agree-tos"], None, "--acme-agree-tos", "acme"),
        (&["serve"], Some(("LEADAPI_LIMITER", "redis://u:CANARY@127.0.0.1")), "--limiter", "redis"),
        (&["serve", "--config", settings], None, "acme-domain", "acme"),
        (&["mcp", "--url", "http://127.0.0.1:8080/v1"], None, "leadapi mcp", "mcp"),
        (&["mcp"], None, "leadapi mcp", "mcp"),
    ] {
        let output = Command::new(BINARY).args(args).envs(variables).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        let reason = format!("{refused} cannot be used, because this binary was built without the `{feature}` feature");
        assert!(error.contains(&reason) && !error.contains("CANARY"), "{args:?}: {error}");
    }
}

#[test]
fn the_version_names_no_features() {
    let output = Command::new(BINARY).arg("--version").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("\nfeatures: none\n"));
    let help = Command::new(BINARY).args(["serve", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("--ops-listen") && !help.contains("mcp-listen") && !help.contains("acme"), "{help}");
}
