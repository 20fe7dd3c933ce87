//! Listener limits: counts, sizes and timeouts.

use std::time::Duration;

/// The limits of a listener.
///
/// The limits protect the server from misbehaving peers. A well-behaved peer rarely reaches any of them, except `idle`
/// and `age`. The maximum body size is not configurable, because the contract fixes it (D5).
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
    /// The maximum number of concurrent connections. At the limit, a new connection replaces the oldest one that has not
    /// sent a request. If there is none, the server closes the new connection immediately. Default 10,000. If the open-file limit of the process (`ulimit -n`) is too low, the server lowers this limit to about 80
    /// % of the descriptors that are unused at startup.
    pub connections: usize,
    /// The maximum number of concurrent connections from one client address, with the same effect as
    /// [`connections`](Self::connections). An IPv6 address counts as its /64 network. Use 0 (no limit) behind a proxy or
    /// load balancer, where all connections come from the same address. Default 256.
    pub address_connections: usize,
    /// The maximum number of concurrent TLS handshakes. At the limit, each new handshake aborts the oldest. Default
    /// 1,024.
    pub handshakes: usize,
    /// The maximum number of in-flight requests, not counting those that wait for their body. Additional requests get
    /// 500 with `Retry-After: 1`, never 429, which is reserved for the per-token rate limit. Default 1,024.
    pub requests: usize,
    /// The maximum number of in-flight requests per token, including those that wait for their body. Additional
    /// requests get 500 with `Retry-After: 1`. The default, 128, exceeds the default limit on the streams of a
    /// connection, so a client with a single connection rarely reaches it.
    pub token_requests: usize,
    /// The maximum number of unread response bytes per connection. At the limit, the connection's next request waits
    /// for the peer to read. If the peer does not read enough before the [`request`](Self::request) timeout, that
    /// request gets 500. A single response may exceed the limit, as may the responses to requests that are already in
    /// flight. Default 1 MiB.
    pub connection_unread_bytes: usize,
    /// The maximum number of unread response bytes across all connections. Above the limit, the server cuts the
    /// connection whose peer has been behind longest, and starts no further requests until enough memory has been
    /// freed. Default 64 MiB.
    pub unread_bytes: usize,
    /// The timeout for an entire TLS handshake, and for the first byte of the first request, starting when the
    /// connection is accepted or its TLS handshake ends. Default 10 s.
    pub first_byte: Duration,
    /// The timeout from the first byte of a request head to its last. Over HTTP/2, it applies only to the first request
    /// of a connection. Default 10 s.
    pub head: Duration,
    /// The timeout for the rest of a request body, starting when the server first has to wait for it. Default 10 s.
    pub body: Duration,
    /// The timeout for the peer to accept all pending bytes, starting when a write stalls or, over HTTP/2, when a
    /// response is ready. Default 10 s.
    pub write: Duration,
    /// The timeout from the end of a response to the first byte of the next request. Default 75 s. Load balancers
    /// commonly use 60 s, so the server does not close a connection just as the balancer reuses it.
    pub idle: Duration,
    /// The timeout from the end of a request head to the start of its response. When it expires, the response is 500,
    /// but a write that has begun continues. Default 15 s.
    pub request: Duration,
    /// The age, plus or minus 10 %, at which the server gracefully closes a connection, so that load balancers can
    /// redistribute the load. Over HTTP/1.1, it closes the connection after its next response, which carries
    /// `Connection: close`. Default 15 min.
    pub age: Duration,
    /// The maximum size of a request head in bytes, including the request line. Over HTTP/2, each header field counts
    /// 32 additional bytes (RFC 9113, 6.5.2). Default 16 KiB.
    pub head_bytes: usize,
    /// The maximum number of header fields in a request. Default 64.
    pub headers: usize,
    /// The maximum combined length of the path and the query, in bytes. Default 4 KiB.
    pub target_bytes: usize,
    /// The maximum number of concurrent requests on one HTTP/2 connection. Default 100.
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

impl HttpLimits {
    /// Returns the limits of a listener with few connections. One address may have a quarter of them, unless the limit
    /// per address is off or lower.
    ///
    /// ```
    /// let limits = leadapi_server::HttpLimits::default().small(64);
    /// assert_eq!((limits.connections, limits.address_connections), (64, 16));
    /// ```
    #[must_use]
    pub fn small(self, connections: usize) -> Self {
        let address_connections = self.address_connections.min((connections / 4).max(2));
        Self { connections, address_connections, ..self }
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
