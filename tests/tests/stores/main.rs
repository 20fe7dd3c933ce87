//! Tests the guarantees of the SQL stores on SQLite and PostgreSQL.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod authors;
mod businesses;
mod citus;
mod clock_steps;
mod commits;
mod conformance;
mod export;
mod fixture;
mod group_commit;
mod hosts;
mod housekeeping;
mod idempotency;
mod identity;
mod lists;
mod maintenance;
mod migrations;
mod outages;
mod poolers;
mod presets;
mod round_trips;
mod shares;
mod tls;
mod two_servers;
mod unanswered;
