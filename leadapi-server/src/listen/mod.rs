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
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;
#[cfg(unix)]
mod unix;
mod unread_responses;

#[cfg(not(feature = "tls"))]
pub(crate) use self::tls::TlsConfig;
#[cfg(feature = "acme")]
pub use self::tls::{AcmeError, AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};
#[cfg(feature = "tls")]
pub use self::tls::{TlsConfig, TlsError, TlsFiles};
pub(crate) use self::{
    acceptor::Acceptor,
    descriptors::ConnectionShares,
    handler::{Handler, NotRunnable},
    open_connections::{OpenConnections, Replaceable},
};
pub use self::{
    request_body::RequestBody,
    socket::{InvalidListenAddress, ListenAddress, Socket},
};
