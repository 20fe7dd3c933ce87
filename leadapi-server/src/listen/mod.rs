//! The HTTP listener, from the socket to the request handler.

mod acceptor;
mod ambiguity;
mod close;
mod connection;
mod descriptors;
mod handler;
mod open_connections;
mod request_body;
mod socket;
mod tls;
mod unread_responses;

pub(crate) use self::{
    acceptor::Acceptor,
    descriptors::ConnectionShares,
    handler::{Handler, NotRunnable},
    open_connections::{OpenConnections, Replaceable},
};
pub use self::{
    request_body::RequestBody,
    socket::{InvalidListenAddress, ListenAddress, Socket},
    tls::{ByteStream, TlsAcceptor, TlsStream},
};
