#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod host;
mod in_flight;
mod limits;
mod listen;
mod listener;
mod metrics;
mod middleware;
mod server;
mod shutdown;

pub use self::{
    host::{Api, Host},
    limits::HttpLimits,
    listen::{ByteStream, InvalidListenAddress, ListenAddress, RequestBody, Socket, TlsAcceptor, TlsStream},
    listener::Listener,
    metrics::{Counter, InstrumentedStore, Metrics},
    server::Server,
    shutdown::ShutdownOutcome,
};
