#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// In dependency order: each module uses only the modules above it.
mod base_url;
mod config_error;
mod credential;

mod redact;

pub mod timer;
pub mod transport;

mod request;
mod retry;

mod rate_limit;

mod context;

mod error;

mod response;
mod response_meta;

mod attempts;
mod call;
mod client;

mod builder;

pub mod pager;

mod leads;

pub mod bulk;

#[cfg(feature = "blocking")]
mod blocking;

pub use builder::ClientBuilder;
pub use call::{Call, CallFuture, CreateLead, WithMeta};
pub use client::Client;
pub use config_error::ConfigError;
pub use context::{Wait, WaitReason};
pub use credential::Credential;
pub use error::{Error, Outcome};
pub use leads::{ClientAccounts, Leads, Pipelines};
pub use rate_limit::Pacing;
pub use response_meta::ResponseMeta;
pub use retry::RetryPolicy;
// The client's API uses these types from `leadapi-model`. With the re-exports, users need no dependency on that crate.
pub use leadapi_model::{auth, http::Operation, id, model};
