//! Tests the form engine with test vectors, a naive interpreter and brute force.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod agency;
mod differential;
mod documentation;
mod findings;
mod foreign_members;
mod messages;
mod numbers;
mod operators;
mod proofs;
mod random;
mod received;
mod score;
mod showcase;
mod vectors;

use std::{
    env,
    path::{Path, PathBuf},
    str::FromStr,
};

use proptest::test_runner::Config;
use serde_json::Value;

/// Returns the sample form.
fn sample() -> Value {
    serde_json::from_str(include_str!("../../../leadapi-core/model/tests/data/form.json")).unwrap()
}

/// Returns the path of a file in the repository. The path is not relative to the package, because two packages contain
/// this suite.
fn repository(file: &str) -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("Cargo.lock").is_file()).unwrap().join(file)
}

/// Returns the number in the environment variable `name`, or the default if it is unset or invalid.
fn configured<T: FromStr>(name: &str, by_default: T) -> T {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(by_default)
}

/// Returns a configuration for `cases` random cases. The cases differ from run to run, and failing ones are not
/// persisted.
fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_shrink_iters: 4_096, ..Config::default() }
}
