//! Forms under test: what a walk comes to, as JSON, from the engine and from a naive interpreter beside it.

mod engine;
mod naive;

pub use engine::{FALLBACK, report, report_of};
pub use naive::Naive;
