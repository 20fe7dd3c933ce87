//! What the stores that keep data promise, on SQLite and on PostgreSQL.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it must be, and is handy to write"
)]

mod commits;
mod conformance;
mod known;
mod migrations;
mod outages;
mod place;
mod tls;
mod together;
mod twins;
