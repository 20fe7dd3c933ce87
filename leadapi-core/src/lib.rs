#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest floor to the highest: a module names only modules above it in this list.
pub mod id;

pub mod auth;
pub mod model;

pub mod validate;

pub mod form;

pub mod port;

pub mod dataset;
pub mod memory;
pub mod tokens;

#[cfg(feature = "conformance")]
pub mod conformance;

pub mod http;

/// An error of a host's own: a store's, a verifier's, a limiter's. It is for the host's log, never for a caller.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
