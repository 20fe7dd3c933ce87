//! Runs the server's commands, and creates services and clients on a store.

use std::{path::Path, process::Command};

use leadapi_client::{Client, Pacing};
use leadapi_core::{auth::BearerToken, http::LeadService, model::Timestamp, tokens::StoredTokens};
use leadapi_sql::SqlStore;

/// Runs a command, which must succeed, and returns its output.
pub(crate) fn run(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("LEADAPI_")) {
        command.env_remove(name);
    }
    let output = command.args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the service on a store at a fixed time.
pub(crate) fn service(store: &SqlStore, now: Timestamp) -> LeadService {
    let verifier = StoredTokens::new(store.clone(), move || now);
    LeadService::builder(store.clone(), verifier).base_path("/v1").clock(move || now).build().unwrap()
}

pub(crate) fn client(store: &SqlStore, now: Timestamp, secret: &str) -> Client {
    let client = Client::builder("http://in-process/v1", BearerToken::parse(secret).unwrap()).pacing(Pacing::off());
    client.in_process(service(store, now)).build().unwrap()
}
