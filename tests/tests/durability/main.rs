//! Tests durability: an acknowledged write survives every way in which the server can exit.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod callers;
mod crash;
mod import;
#[cfg(target_os = "linux")]
mod power_loss;
mod server;
