//! The client against a real server, with network faults between them.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it must be, is handy to write, and says what it measured"
)]

mod export;
mod proxy;
mod server;
mod storm;
