#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest floor to the highest: a module names only modules above it in this list.
mod base_url;
mod credential;
mod shown;

pub mod transport;

mod call;
mod error;

mod answer;
mod builder;
mod client;

pub mod walk;

pub use builder::{Builder, ConfigError};
pub use client::{Client, CreatedLead};
pub use credential::Credential;
pub use error::{Error, Outcome};
// The client speaks in core's types, so whoever uses it need not name core.
pub use leadapi_core::{auth, http::Operation, id, model};
