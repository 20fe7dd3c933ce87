#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod cli;
mod concurrency_limit;
mod docs;
mod host;
mod in_flight;
mod keyed_limit;
mod keyed_rate;
mod limits;
mod listen;
mod log_budget;
mod lookup_limit;
#[cfg(feature = "mcp")]
mod mcp;
mod metrics;
mod middleware;
mod ops;
mod secret_file;
mod server;
mod settings;
mod shutdown;
mod web;

pub use limits::HttpLimits;
pub use listen::{TlsError, TlsFiles};
pub use middleware::with_request_ids;
pub use server::Server;
pub use shutdown::ShutdownOutcome;
