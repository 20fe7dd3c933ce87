//! Differential tests of all kinds of stores. For any operations of two similar businesses, all stores must give the
//! same responses, and neither business may see the other's data.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod administration;
mod audit;
mod fixture;
mod keys;
mod lost;
mod maintenance;
mod many;
mod model;
mod operation;
mod random;
mod sides;
