//! The programs that a README builds and runs. They are built beforehand, so each command starts its binary
//! immediately.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use crate::ROOT;

/// The README commands that build and run a program, each with the prebuilt program that replaces it.
const BUILT: [(&str, &str); 4] = [
    ("cargo run --release -p leadapi-server -- ", "leadapi-server "),
    ("cargo run -p leadapi-tests --bin contract -- ", "contract "),
    ("cargo run -p leadapi-examples --example import_csv -- ", "import_csv "),
    ("cargo run -p leadapi-examples --example export_csv -- ", "export_csv "),
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

/// Links the programs that a README uses into a directory on `PATH`.
pub(crate) fn link_into(folder: &Path, readme: &str) {
    let mut programs: Vec<(&str, PathBuf)> = vec![
        ("leadapi-server", env!("CARGO_BIN_EXE_server").into()),
        ("contract", env!("CARGO_BIN_EXE_contract").into()),
    ];
    let examples: Vec<&str> = ["import_csv", "export_csv"].into_iter().filter(|name| readme.contains(name)).collect();
    programs.extend(examples.iter().copied().zip(examples_built(&examples)));
    for (name, program) in programs {
        symlink(program, folder.join(name)).unwrap();
    }
}

/// Builds these examples of another package and returns their paths. `--workspace` reuses what `cargo test --workspace`
/// has built.
fn examples_built(names: &[&str]) -> Vec<PathBuf> {
    if names.is_empty() {
        return Vec::new();
    }
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    cargo.args(["build", "--quiet", "--workspace"]).args(names.iter().flat_map(|name| ["--example", name]));
    assert!(cargo.current_dir(ROOT).status().unwrap().success(), "{names:?} were not built");
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    names.iter().map(|name| profile.join("examples").join(name)).collect()
}
