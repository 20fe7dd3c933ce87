//! The HTTP listener, from the socket to the request handler.

mod accept;
mod ambiguity;
mod close;
mod connection;
mod descriptors;
mod handler;
mod open_connections;
mod request_body;
mod tls;
#[cfg(unix)]
mod unix;
mod unread_responses;

#[cfg(feature = "acme")]
pub(crate) use self::tls::{AcmeError, AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};
pub use self::tls::{TlsError, TlsFiles};
#[cfg(unix)]
pub(crate) use self::unix::accept_unix;
pub(crate) use self::{
    accept::Listener,
    descriptors::ConnectionShares,
    handler::{Handler, NotRunnable},
    open_connections::{OpenConnections, Replaceable},
    request_body::RequestBody,
    tls::Certified,
};
