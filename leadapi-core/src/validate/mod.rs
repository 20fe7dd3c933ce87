//! Validation (contract D4 to D6): from the bodies that callers send to types that are valid by construction.

mod draft;
mod edit;
mod fault;
#[cfg(feature = "service")]
mod fingerprint;
mod name;
mod placement;
pub(crate) mod text;

pub use draft::{LeadDraft, Stamp};
pub use edit::LeadEdit;
pub use fault::{Fault, Faults};
pub use name::{InvalidEmail, InvalidName, check_email, check_name, check_token_name, email_key};
pub use placement::{Named, Reference, References};
