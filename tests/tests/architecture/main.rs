//! Checks the structure of the source: modules have no import cycles, and files are short enough to read in one
//! sitting.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod imports;
mod tree;

use std::{
    fs,
    path::{Path, PathBuf},
};

use self::tree::Tree;

const CRATES: [&str; 3] = ["leadapi-core", "leadapi-server", "leadapi-client"];

const MAX_LINES: usize = 300;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Modules that import each other, even indirectly, can be understood only together.
#[test]
fn sibling_modules_have_no_import_cycles() {
    let mut cycles = vec![];
    for name in CRATES {
        let tree = Tree::read(&root().join(name).join("src"));
        assert!(tree.edges() > 20, "{name}: only {} imports found", tree.edges());
        cycles.extend(tree.cycles().into_iter().map(|cycle| format!("{name}: {cycle}")));
    }
    assert!(cycles.is_empty(), "{}", cycles.join("\n"));
}

#[test]
fn source_files_have_at_most_300_lines() {
    let mut long: Vec<(usize, PathBuf)> = vec![];
    for folder in CRATES.into_iter().chain(["tests", "examples"]) {
        for path in rust_files(&root().join(folder)) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > MAX_LINES {
                long.push((lines, path.strip_prefix(root()).unwrap().to_owned()));
            }
        }
    }
    long.sort();
    let long: Vec<String> = long.iter().map(|(lines, path)| format!("{lines} {}", path.display())).collect();
    assert!(long.is_empty(), "files with more than {MAX_LINES} lines:\n{}", long.join("\n"));
}

/// Returns all Rust files below a directory, except those in directories named `target`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
