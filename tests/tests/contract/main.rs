//! Checks the contract with tables of cases and short scripts. Each case's name begins with the section that it checks.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod bodies;
mod coverage;
mod create;
mod failures;
mod forms;
mod idempotency;
mod isolation;
mod lead_fields;
mod limits;
mod lists;
mod methods;
mod mounts;
mod openapi;
mod order;
mod paths;
mod published_crates;
mod shared;
mod tokens;
mod wire;
