#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

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
mod server;
mod shutdown;

pub use self::{
    host::{Api, Host},
    limits::HttpLimits,
    listen::{ByteStream, InvalidListenAddress, ListenAddress, RequestBody, Socket, TlsAcceptor, TlsStream},
    listener::Listener,
    metrics::{Counter, InstrumentedStore, Metrics},
    middleware::with_request_ids,
    ops::{Operator, Probes},
    server::Server,
    shutdown::ShutdownOutcome,
};
