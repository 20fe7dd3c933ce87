//! Opens data that released versions wrote, and checks that the current version reads all of it.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]
#![cfg(unix)]

mod client_files;
mod compare;
mod databases;
mod process;
mod write;

use std::{
    fs,
    path::{Path, PathBuf},
};

use leadapi_tests::{read_released, released_folder};

/// A business of the sample data, one of its client accounts, and its owner as command-line arguments.
const BUSINESS: &str = "019bb16e-fe80-71bd-97d4-34affe250f1f";
const CLIENT: &str = "019bb17b-d806-7737-af83-b92ecab0df7d";
const OWNER: [&str; 4] = ["--business", BUSINESS, "--as", "Owner@Harbour.example"];

/// Returns the folders of all versions.
fn versions() -> Vec<PathBuf> {
    let is_version =
        |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with(|c: char| c.is_ascii_digit());
    let mut found: Vec<PathBuf> =
        fs::read_dir(released_folder("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| is_version(path));
    assert!(!found.is_empty(), "no version has written fixtures");
    found
}

/// Returns the text of a file of a version.
fn text(version: &Path, name: &str) -> String {
    String::from_utf8(read_released(version, name)).unwrap()
}

fn json(version: &Path, name: &str) -> serde_json::Value {
    serde_json::from_str(&text(version, name)).unwrap()
}
