#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// The modules are in dependency order: each module imports only from the modules above it.
mod sync;

pub mod port;

pub mod clock;
pub mod id_source;
pub mod rate_limit;

pub mod dataset;

pub mod admin;
pub mod tokens;

pub mod http;

#[cfg(feature = "openapi")]
pub mod openapi;

pub use leadapi_model::{BoxError, auth, error_chain, form, id, locale, model, number, text, validate};
