//! Runs every shell block of every README as written, and compares the application that the README shows with its file.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]
#![cfg(unix)]

mod blocks;
mod programs;
mod server;
mod session;

use std::{
    fs,
    path::{Path, PathBuf},
};

use self::{blocks::Step, session::Session};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const READMES: [&str; 3] = ["README.md", "leadapi-server/cli/README.md", "leadapi-client/testkit/README.md"];

#[test]
fn the_readme_runs_as_written() {
    run(READMES[0]);
}

#[test]
fn the_readme_of_the_server_runs_as_written() {
    run(READMES[1]);
}

#[test]
fn the_readme_of_the_testkit_runs_as_written() {
    run(READMES[2]);
}

#[test]
fn the_readme_shows_the_platform_that_the_tests_run() {
    let read = |file: &str| fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
    let block = format!("```rust,no_run\n{}```\n", read("examples/examples/platform.rs"));
    assert!(read(READMES[0]).contains(&block), "copy examples/examples/platform.rs into the README");
    assert!(block.lines().count() <= 80 + 2, "the README promises a short application");
}

#[test]
fn no_other_readme_has_commands() {
    let all = readmes(Path::new(ROOT));
    assert!(all.len() >= 6, "{all:?}");
    for path in all {
        let name = path.strip_prefix(ROOT).unwrap().to_str().unwrap();
        let has_commands = blocks::read(&path).iter().any(|step| matches!(step, Step::Run(_)));
        assert_eq!(has_commands, READMES.contains(&name), "{name}: READMES must list exactly the files with commands");
    }
}

/// Runs the steps of a README in order, in an empty directory.
fn run(readme: &str) {
    let mut session = Session::new(readme);
    for step in blocks::read(&Path::new(ROOT).join(readme)) {
        match step {
            Step::File { name, text } => session.write(&name, &text),
            Step::Run(command) => session.run(&command),
        }
    }
    session.end();
}

fn readmes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let is_ours =
            !name.to_string_lossy().starts_with('.') && !["target", "node_modules"].map(Into::into).contains(&name);
        if entry.file_type().unwrap().is_dir() && is_ours {
            found.extend(readmes(&path));
        } else if name == "README.md" {
            found.push(path);
        }
    }
    found
}
