//! Tests the test tools, so that the tests that use them can be trusted.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]
#![cfg(unix)]

mod child;
mod postgres;
#[cfg(target_os = "linux")]
mod powerloss;
mod proxy;
