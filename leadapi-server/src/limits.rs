//! The limits of a listener: numbers, sizes and timeouts.

use std::time::Duration;

/// The limits at which a listener cuts a connection, refuses a request or stops waiting.
///
/// A well-behaved peer reaches none of them; each protects the server from one that is not. The size of a body is not
/// among them: the contract fixes it (D5).
///
/// ```
/// use std::time::Duration;
/// use leadapi_server::HttpLimits;
///
/// let limits = HttpLimits::default().idle(Duration::from_secs(300)).requests(2_048);
/// assert_eq!(limits.requests, 2_048);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// The maximum number of concurrent connections; one more is closed at once. Default 10,000. The maximum is lower if
    /// the process may not open enough files: 80 % of the descriptors that are left when the server starts.
    pub connections: usize,
    /// The maximum number of concurrent connections of one client address; one more is closed at once. An IPv6 address
    /// counts as its /64 network. 0 means no limit, for a server behind a proxy or load balancer, whose address all connections share.
    /// Default 256.
    pub address_connections: usize,
    /// The maximum number of concurrent TLS handshakes; when one more begins, the oldest is cut. Default 1,024.
    pub handshakes: usize,
    /// The maximum number of requests in flight, except those that wait for their body. One more is answered with 500 and
    /// `Retry-After: 1`, and never with 429, which is reserved for the rate limit of the token. Default 1,024.
    pub requests: usize,
    /// The maximum number of requests in flight of one token, including those that wait for their body. One more is
    /// answered with 500 and `Retry-After: 1`. The default is more than the streams of a connection, so that a client with one
    /// connection never reaches it. Default 128.
    pub token_requests: usize,
    /// Bytes of responses that the peer of one connection has not read. Above the limit, the next request of the
    /// connection waits for the peer to read, at most for [`request`](Self::request), and is then answered 500. A
    /// single response may be larger, and so may the responses of requests that already run. Default 1 MiB.
    pub connection_unread_bytes: usize,
    /// The same over all connections. Above the limit, the connection whose peer has been behind for longest is cut.
    /// Default 64 MiB.
    pub unread_bytes: usize,
    /// From the connection to its first byte, and for a whole TLS handshake. Default 10 s.
    pub first_byte: Duration,
    /// From the first byte of a request's head to its last. Default 10 s.
    pub head: Duration,
    /// From the first wait for the body to its end. Default 10 s.
    pub body: Duration,
    /// From the time the peer stops taking bytes until it has taken all of them. Default 10 s.
    pub write: Duration,
    /// From the end of a response to the first byte of the next request. Default 75 s: longer than the minute of
    /// common load balancers, so that the server does not close a connection just as the balancer uses it.
    pub idle: Duration,
    /// From the end of a head to the start of the response; after this time the response is 500. A write that has
    /// begun continues. Default 15 s.
    pub request: Duration,
    /// The age, plus or minus a tenth, at which a connection is closed gracefully, so that load balancers can spread
    /// the load again. Default 15 min.
    pub age: Duration,
    /// The bytes of a head, including its first line. Default 16 KiB.
    pub head_bytes: usize,
    /// The header fields of a request. Default 64.
    pub headers: usize,
    /// The bytes of a path and its query. Default 4 KiB.
    pub target_bytes: usize,
    /// Concurrent requests on one HTTP/2 connection. Default 100.
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

macro_rules! setters {
    ($($field:ident: $type:ty = $example:literal,)*) => {
        impl HttpLimits {$(
            #[doc = concat!("Sets the field [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
            ///
            /// ```
            /// # use leadapi_server::HttpLimits;
            /// # #[allow(unused_imports)] use std::time::Duration;
            #[doc = concat!("let limits = HttpLimits::default().", stringify!($field), "(", $example, ");")]
            #[doc = concat!("assert_eq!(limits.", stringify!($field), ", ", $example, ");")]
            /// ```
            #[must_use]
            pub const fn $field(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )*}
    };
}

setters! {
    connections: usize = "100",
    address_connections: usize = "0",
    handshakes: usize = "100",
    requests: usize = "100",
    token_requests: usize = "10",
    connection_unread_bytes: usize = "65_536",
    unread_bytes: usize = "1_048_576",
    first_byte: Duration = "Duration::from_secs(5)",
    head: Duration = "Duration::from_secs(5)",
    body: Duration = "Duration::from_secs(30)",
    write: Duration = "Duration::from_secs(30)",
    idle: Duration = "Duration::from_secs(300)",
    request: Duration = "Duration::from_secs(30)",
    age: Duration = "Duration::from_secs(60)",
    head_bytes: usize = "8_192",
    headers: usize = "100",
    target_bytes: usize = "2_048",
    streams: u32 = "10",
}
