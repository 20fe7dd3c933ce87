//! Tests of several servers on one PostgreSQL database or one Redis server.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod calls;
mod clock;
#[cfg(target_os = "linux")]
mod clocks;
mod rate_limit;
#[cfg(target_os = "linux")]
mod routine;
mod server;
mod twins;
