//! Tests of the rate limiter on Redis (contract D9).
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod connections;
#[cfg(target_os = "linux")]
mod decisions;
mod failures;
mod fixture;
mod sentinel;
mod server;
mod shared;
