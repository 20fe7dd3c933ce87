//! Reports of form walks as JSON, from the engine and from a naive interpreter that serves as its reference, and large
//! forms for tests and benchmarks.

mod engine;
mod hostile;
mod naive;

pub use engine::{FALLBACK, report, report_of};
pub use hostile::hostile;
pub use naive::{Naive, Walk};
