#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Modules in dependency order: a module uses only modules above it in this list. The modules behind the feature
// `service` are for the side that answers requests. Client and server share those without a feature.
mod hex;
pub mod id;

pub mod auth;
pub mod model;

pub mod validate;

#[cfg(any(feature = "form", feature = "service"))]
pub mod form;

#[cfg(feature = "service")]
pub mod port;

#[cfg(feature = "service")]
pub mod dataset;
#[cfg(feature = "service")]
pub mod memory;
#[cfg(feature = "service")]
pub mod tokens;

#[cfg(feature = "conformance")]
pub mod conformance;

pub mod http;

#[cfg(feature = "openapi")]
pub mod openapi;

/// An error from host code: a store, a verifier or a limiter. It goes to the host's log, never to a caller.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
