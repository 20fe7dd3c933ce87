//! The HTTP listener, from its socket to the handler of requests.

mod accept;
mod address;
mod close;
mod connection;
mod descriptors;
mod handler;
mod tls;
mod unread;

pub use self::tls::{TlsError, TlsFiles};
pub(crate) use self::{
    accept::Listener, connection::Timely, descriptors::ConnectionShares, handler::Handler, tls::Certified,
};
