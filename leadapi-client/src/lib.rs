#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// From the lowest floor to the highest: a module names only modules above it in this list.
mod base_url;
mod config_error;
mod credential;
mod token_search;

mod shown;

pub mod timer;
pub mod transport;

mod request;
mod retry;

mod rate_limit;
mod shared;

mod error;

mod answer;
mod meta;

mod attempts;
mod call;
mod client;

mod builder;

pub mod bulk;
pub mod pager;

mod leads;

#[cfg(feature = "blocking")]
mod blocking;

#[cfg(feature = "testkit")]
pub mod testkit;

pub use builder::ClientBuilder;
pub use call::{Call, CallFuture, CreateLead, WithMeta};
pub use client::Client;
pub use config_error::ConfigError;
pub use credential::Credential;
pub use error::{Error, Outcome};
pub use leads::{ClientAccounts, Leads, Pipelines};
pub use meta::Meta;
pub use rate_limit::Pacing;
pub use retry::RetryPolicy;
pub use shared::{Wait, WaitReason};
// The client speaks in core's types, so whoever uses it need not name core.
pub use leadapi_core::{auth, http::Operation, id, model};
