//! Server processes with one business.

#[path = "../../leadapi-server/cli/tests/binary/server_process.rs"]
mod server_process;

use std::{fs, process::Command};

use serde_json::{Value, json};

pub use self::server_process::ServerProcess;

/// Starts a server without rate limits on a free port, with the business `b1`, its client account `c1` and a token. The
/// arguments of `command` must already include `serve`.
///
/// # Panics
///
/// Panics if the process exits before it listens.
pub fn serve_one_business(command: &mut Command, token: &str) -> ServerProcess {
    let many = u32::MAX.to_string();
    serve_with_rate_limits(command.args(["--reads-per-minute", &many, "--writes-per-minute", &many]), &[token])
}

/// Starts a server like [`serve_one_business`], but with any number of tokens and with the rate limits of `command`.
///
/// # Panics
///
/// Panics if the process exits before it listens.
pub fn serve_with_rate_limits(command: &mut Command, tokens: &[&str]) -> ServerProcess {
    let data = one_business(tokens);
    ServerProcess::spawn(command.args(["--listen", "127.0.0.1:0", "--data"]).arg(data.path()))
}

/// Returns a file with the data set of [`serve_one_business`], but with these tokens.
pub fn one_business(tokens: &[&str]) -> tempfile::NamedTempFile {
    let token = |token: &&str| json!({"name": "t", "scopes": ["read", "write"], "token": token});
    let tokens: Vec<Value> = tokens.iter().map(token).collect();
    let created_at = "2026-01-01T00:00:00Z";
    let business = json!({
        "id": "b1",
        "name": "B",
        "created_at": created_at,
        "clients": [{"id": "c1", "name": "C", "created_at": created_at}],
        "tokens": tokens,
    });
    let data = tempfile::NamedTempFile::new().unwrap();
    fs::write(data.path(), json!({"businesses": [business]}).to_string()).unwrap();
    data
}
