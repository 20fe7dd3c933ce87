//! A test that runs itself once more in another process, to see that one killed.

use std::{
    env,
    process::{Command, Stdio},
};

const ROLE: &str = "LEADAPI_TESTS_CHILD";

/// What this process was told when it is the other one.
pub(crate) fn role() -> Option<String> {
    env::var(ROLE).ok()
}

/// The test of this name in another process.
pub(crate) fn run(test: &str, role: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--quiet"]).env(ROLE, role);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}
