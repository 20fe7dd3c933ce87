//! Tests the files in `leadapi-server/cli/packaging` with the servers and programs that they configure.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod balancer;
mod callers;
mod files;
mod monitoring;
mod ops;
mod rolling_update;
mod selectors;
