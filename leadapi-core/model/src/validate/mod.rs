//! Validation of request bodies, which produces types that are valid by construction (contract D4 to D6).

mod draft;
mod edit;
mod email;
mod field_error;
mod find_char;
#[cfg(feature = "secrets")]
mod fingerprint;
mod lead_field;
mod name;
mod placement;
mod reference;
mod text;

pub use draft::{LeadDraft, NewLeadMeta};
pub use edit::LeadEdit;
#[doc(hidden)]
pub use email::email_pattern;
pub use email::{InvalidEmail, check_email, email_key};
pub use field_error::{FieldError, FieldErrors};
#[doc(hidden)]
pub use lead_field::{
    EMAIL, LEAD_FIELDS, LeadField, NOTES, OPTIONAL_TEXTS, OptionalText, PHONE, SOURCE, TEXTS_BEFORE_VALUE,
};
pub use name::{InvalidName, check_name, check_token_name};
pub use placement::{InvalidReference, LookupResult, RequiredLookups};
#[doc(hidden)]
pub use text::{NAME, Shape, TextRule};
