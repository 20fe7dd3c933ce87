//! The sender of a request.

use std::net::IpAddr;

use http::Extensions;

/// The peer of the connection on which a request arrived.
///
/// The host of a service sets this extension on each request. The service treats all requests without the extension as
/// if they came from one unknown address.
///
/// ```
/// use leadapi_access::Peer;
///
/// let mut request = http::Request::new(());
/// assert_eq!(Peer::address_of(request.extensions()), None);
/// request.extensions_mut().insert(Peer::Address([192, 0, 2, 7].into()));
/// assert_eq!(Peer::address_of(request.extensions()), Some([192, 0, 2, 7].into()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Peer {
    /// A peer with this address.
    Address(IpAddr),
    /// A process on this machine, through a Unix socket.
    Unix,
}

impl Peer {
    /// Returns the peer's address, or `None` for a Unix socket.
    ///
    /// ```
    /// assert_eq!(leadapi_access::Peer::Unix.address(), None);
    /// ```
    pub const fn address(self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(address),
            Self::Unix => None,
        }
    }

    /// Returns the address of the peer in a request's extensions, or `None` if it is unknown or a Unix socket.
    pub fn address_of(extensions: &Extensions) -> Option<IpAddr> {
        extensions.get().copied().and_then(Self::address)
    }
}
