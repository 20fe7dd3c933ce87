//! Form walks reported as JSON, by the engine and by a naive interpreter that is compared with it.

mod engine;
mod hostile;
mod naive;
mod sized;

pub use engine::{FALLBACK, report, report_of};
pub use hostile::hostile;
pub use naive::{Naive, Walk};
pub use sized::sized;
