#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "service"),
    allow(
        dead_code,
        unused_imports,
        rustdoc::broken_intra_doc_links,
        reason = "helpers of the service stand beside what they belong to, and the README speaks of the service"
    )
)]

// From the lowest floor to the highest: a module names only modules above it in this list. Those of the feature
// `service` are for the side that answers; the others are what both ends of the wire share.
mod hex;
pub mod id;

pub mod auth;
pub mod model;

pub mod validate;

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

/// An error of a host's own: a store's, a verifier's, a limiter's. It is for the host's log, never for a caller.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
