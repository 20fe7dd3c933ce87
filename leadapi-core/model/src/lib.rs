#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// The modules are in dependency order: each module imports only from the modules above it.
mod currency;
mod error_chain;
pub mod hex;
pub mod id;
pub mod number;

pub mod locale;
pub mod text;

pub mod auth;
pub mod model;

pub mod validate;

pub mod form;
pub mod http;

pub use error_chain::error_chain;

/// A boxed error from host code, such as a store, a verifier, a limiter or a transport.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
