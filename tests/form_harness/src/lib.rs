//! Reports of form walks as JSON, from the engine and from a naive interpreter that serves as its reference, and hostile
//! forms.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap in the harness fails the test"
)]

mod engine;
mod hostile;
mod naive;

pub use engine::{FALLBACK, report, report_of};
pub use hostile::hostile;
pub use naive::{Naive, Walk};
