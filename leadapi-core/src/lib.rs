#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// The modules are in dependency order: each module imports only from the modules above it. The modules behind the
// `service` feature are for the server side. The modules without a feature gate are shared by client and server.
mod error_chain;
mod hex;
pub mod id;
pub mod number;
#[cfg(feature = "service")]
mod sync;
pub mod text;

pub mod auth;
pub mod model;

pub mod validate;

pub mod form;

#[cfg(feature = "service")]
pub mod port;

#[cfg(feature = "service")]
pub mod admin;
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

pub use error_chain::error_chain;

/// A boxed error from host code, such as a store, a verifier or a limiter. The host can log it; API callers never
/// receive it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
