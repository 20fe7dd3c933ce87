//! The tools of the tests do what they say, so that a test which uses them may be believed.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it must be, and is handy to write"
)]
#![cfg(unix)]

mod child;
mod postgres;
#[cfg(target_os = "linux")]
mod powerloss;
mod proxy;
