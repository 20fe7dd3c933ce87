#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest floor to the highest: a module names only modules above it in this list.
pub mod id;

pub mod auth;
pub mod model;

mod error;
pub mod validate;

pub mod form;

pub mod port;

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod dataset;
pub mod memory;
pub mod tokens;

pub mod http;

pub use error::BoxError;
