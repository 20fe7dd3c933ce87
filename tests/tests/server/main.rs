//! The listener on real sockets: what it bears, what it cuts, and how it ends.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test ends at the first thing that is wrong"
)]

mod guard;
mod host;
mod ready;
mod slow;
mod stop;
mod tls;
