//! What is valid (contract D4 to D6): from what a caller says to values that are right by their type.

mod draft;
mod edit;
mod fault;
mod placement;
mod text;

pub use draft::{LeadDraft, Stamp};
pub use edit::LeadEdit;
pub use fault::{Fault, Faults};
pub use placement::{Named, Reference, References};
