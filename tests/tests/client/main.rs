//! Tests of the client against a real server, with network faults between the two.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test, which prints what it measured"
)]

mod export;
mod server;
mod storm;
