//! What a listener bears, in number, in size and in time.

use std::time::Duration;

/// What a listener bears before it cuts, refuses or waits no longer.
///
/// A peer that keeps within them notices none of them; each is there because somebody will not.
/// The size of a body is not among them: it is the contract's (D5).
///
/// ```
/// use std::time::Duration;
/// use leadapi_server::HttpLimits;
///
/// let mut limits = HttpLimits::default();
/// limits.idle = Duration::from_secs(300);
/// assert_eq!(limits.requests, 1_024);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Connections at a time; one more is closed at once. 10,000. A server has fewer where the process may not open as
    /// many files: 80 % of what is left when it starts.
    pub connections: usize,
    /// Connections of one client address at a time, of IPv6 those of one /64 network; one more is closed at once. 0 is no
    /// limit, as behind a proxy or balancer, from whose address all connections come. 256.
    pub address_connections: usize,
    /// TLS handshakes at a time; when one more begins, the one that has taken longest is cut. 1,024.
    pub handshakes: usize,
    /// Requests in work at a time, without those whose body is waited for; one more is answered 500 with `Retry-After: 1`, and never 429, which speaks of the
    /// token's own limit and nothing else. 1,024.
    pub requests: usize,
    /// Requests of one token in flight at a time, those included whose body is waited for; one more is answered 500 with
    /// `Retry-After: 1`. More than the streams of a connection, so that a client of one connection never meets it. 128.
    pub token_requests: usize,
    /// Bytes of answers at a time that the peer of one connection has not read. Beyond it, the next request of the
    /// connection waits for the peer to read, at most for [`request`](Self::request), and is answered 500 then. One
    /// answer may be larger, and so may those of requests that run already. 1 MiB.
    pub connection_unread_bytes: usize,
    /// The same over all connections. Beyond it, the connection whose peer has been behind for longest is cut. 64 MiB.
    pub unread_bytes: usize,
    /// From the connection to its first byte, and for the whole of a TLS handshake. 10 s.
    pub first_byte: Duration,
    /// From the first byte of a request's head to its last. 10 s.
    pub head: Duration,
    /// From the end of a head to the end of the body. 10 s.
    pub body: Duration,
    /// From the moment when the peer takes no more bytes until it has taken all that there are. 10 s.
    pub write: Duration,
    /// From the end of an answer to the first byte of the next request. 75 s: longer than the minute of common balancers,
    /// so that it is not the server that ends a connection in the very moment in which it is used.
    pub idle: Duration,
    /// From the end of a head to the beginning of the answer, which is 500 by then. A write that has begun goes on.
    /// 15 s.
    pub request: Duration,
    /// How old a connection becomes, give or take a tenth, before it is brought to an orderly end, so that balancers can
    /// spread the load anew. 15 min.
    pub age: Duration,
    /// The bytes of a head, its first line included. 16 KiB.
    pub head_bytes: usize,
    /// The header fields of a request. 64.
    pub headers: usize,
    /// The bytes of a path and its query. 4 KiB.
    pub target_bytes: usize,
    /// Requests at a time on one connection of HTTP/2. 100.
    pub streams: u32,
}

impl Default for HttpLimits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connections: 10_000,
            address_connections: 256,
            handshakes: 1_024,
            requests: 1_024,
            token_requests: 128,
            connection_unread_bytes: 1_024 * 1_024,
            unread_bytes: 64 * 1_024 * 1_024,
            first_byte: seconds(10),
            head: seconds(10),
            body: seconds(10),
            write: seconds(10),
            idle: seconds(75),
            request: seconds(15),
            age: seconds(15 * 60),
            head_bytes: 16 * 1_024,
            headers: 64,
            target_bytes: 4 * 1_024,
            streams: 100,
        }
    }
}
