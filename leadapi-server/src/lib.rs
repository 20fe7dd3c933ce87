#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod concurrency_limit;
mod host;
mod in_flight;
mod keyed_limit;
mod limits;
mod listen;
mod listener;
mod metrics;
mod middleware;
mod ops;
mod secret_file;
mod server;
mod shutdown;

#[cfg(feature = "acme")]
pub use self::listen::{AcmeError, AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};
#[cfg(feature = "tls")]
pub use self::listen::{TlsConfig, TlsError, TlsFiles};
pub use self::{
    host::{Api, Host},
    limits::HttpLimits,
    listen::{InvalidListenAddress, ListenAddress, RequestBody, Socket},
    listener::Listener,
    metrics::{Counter, InstrumentedStore, Metrics},
    middleware::with_request_ids,
    ops::{Operator, Probes},
    secret_file::ExposedSecret,
    server::Server,
    shutdown::ShutdownOutcome,
};
