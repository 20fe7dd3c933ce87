//! The forms' engine against vectors, against a naive interpreter, against brute force, and against its own laws.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it must be, and is handy to write"
)]

mod vectors;

use serde_json::Value;

/// The sample form.
fn sample() -> Value {
    serde_json::from_str(include_str!("../../../leadapi-core/tests/data/form.json")).unwrap()
}
