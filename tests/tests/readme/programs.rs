//! The programs that a README builds and runs. They are built beforehand, so each command starts its binary
//! immediately.

use std::{fs, os::unix::fs::symlink, path::Path};

use crate::ROOT;

/// The README commands that build and run a program, each with the prebuilt program that replaces it.
const BUILT: [(&str, &str); 2] = [
    ("cargo run --release -p leadapi -- ", "leadapi "),
    ("cargo run -p leadapi-tests --bin contract -- ", "contract "),
];

/// Commands that the test skips, because they would run it recursively. CI must run exactly these commands.
const RUN_BY_CI: [&str; 1] = ["cargo test --workspace"];

/// Returns the command with its prebuilt program, or `None` if CI runs the command instead.
///
/// # Panics
///
/// Panics if the command builds a program that is not in `BUILT`.
pub(crate) fn prebuilt(command: &str) -> Option<String> {
    if RUN_BY_CI.contains(&command) {
        let ci = fs::read_to_string(Path::new(ROOT).join(".ci/run")).unwrap();
        let runs_it = ci.lines().any(|line| line.split_once("step ").is_some_and(|(_, step)| step == command));
        assert!(runs_it, "CI does not run {command}");
        return None;
    }
    let command = BUILT.iter().fold(command.to_owned(), |command, (written, name)| command.replace(written, name));
    assert!(!command.contains("cargo "), "{command} builds a program that is not in BUILT");
    Some(command)
}

/// Links the programs that READMEs use into a directory on `PATH`.
pub(crate) fn link_into(folder: &Path) {
    for (name, program) in [("leadapi", env!("CARGO_BIN_EXE_server")), ("contract", env!("CARGO_BIN_EXE_contract"))] {
        symlink(program, folder.join(name)).unwrap();
    }
}
