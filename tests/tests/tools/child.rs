//! Runs a test again in a child process, which the test can kill.

use std::{
    env,
    process::{Command, Stdio},
};

const ROLE: &str = "LEADAPI_TESTS_CHILD";

/// Returns this process's role if it is the child process.
pub(crate) fn role() -> Option<String> {
    env::var(ROLE).ok()
}

/// Returns a command that runs the test with this name in a child process.
pub(crate) fn run(test: &str, role: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--quiet"]).env(ROLE, role);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}
