//! What is valid (contract D4 to D6): from what a caller says to values that are right by their type.

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
pub(crate) use text::{BUSINESS_NAME, EMAIL, NAME, NOTES, PHONE, SOURCE};
