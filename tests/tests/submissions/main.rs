//! Tests the example `form_submissions`: a submission that it acknowledges becomes exactly one lead.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod kills;
mod programs;
mod states;
mod visitors;
