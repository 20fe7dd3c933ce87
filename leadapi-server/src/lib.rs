#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod cli;
mod cluster_limiter;
mod concurrency_limit;
mod host;
mod in_flight;
mod key_time;
mod keyed_limit;
mod limits;
mod listen;
mod listener;
mod metrics;
mod middleware;
mod ops;
#[cfg(feature = "redis")]
pub mod redis_limiter;
mod secret_file;
mod server;
mod shutdown;
pub mod store;
mod sync;

pub use self::{
    host::{Api, Host},
    limits::HttpLimits,
    listen::{InvalidListenAddress, ListenAddress, RequestBody, Socket, TlsConfig, TlsError, TlsFiles},
    listener::Listener,
    metrics::{Counter, InstrumentedStore, Metrics},
    middleware::with_request_ids,
    ops::{Operator, Probes},
    server::Server,
    shutdown::ShutdownOutcome,
};
#[cfg(feature = "acme")]
pub use listen::{AcmeError, AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};

/// The sample data set that `demo` serves: one agency with 4 client accounts, 3 pipelines and 40 leads, and a second,
/// separate business.
///
/// All people, companies and addresses in it are fictitious.
pub const SAMPLE: &str = include_str!("../data/sample.json");
