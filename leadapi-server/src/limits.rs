//! Listener limits: counts, sizes and timeouts.

use std::time::Duration;

/// Declares the limits from one table. A row has the documentation, the field with its default, and another value for
/// the example of its setter.
macro_rules! limits {
    ($(#[$about:meta])* $name:ident; $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr, $example:literal;)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {$(
            $(#[$doc])*
            pub $field: $type,
        )*}

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {$(
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

limits! {
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
    HttpLimits;

    /// The maximum number of concurrent connections. At the limit, a new connection replaces the oldest one that has not
    /// sent a request. If there is none, the server closes the new connection immediately. Default 10,000. If the open-file limit of the process (`ulimit -n`) is too low, the server lowers this limit to about 80
    /// % of the descriptors that are unused at startup.
    connections: usize = 10_000, "100";
    /// The maximum number of concurrent connections from one client address, with the same effect as
    /// [`connections`](Self::connections). An IPv6 address counts as its /64 network. Use 0 (no limit) behind a proxy or
    /// load balancer, where all connections come from the same address. Default 256.
    address_connections: usize = 256, "0";
    /// The maximum number of concurrent TLS handshakes. At the limit, each new handshake aborts the oldest. Default
    /// 1,024.
    handshakes: usize = 1_024, "100";
    /// The maximum number of in-flight requests, not counting those that wait for their body. Additional requests get
    /// 500 with `Retry-After: 1`, never 429, which is reserved for the per-token rate limit. Default 1,024.
    requests: usize = 1_024, "100";
    /// The maximum number of in-flight requests per token, including those that wait for their body. Additional
    /// requests get 500 with `Retry-After: 1`. The default, 128, exceeds the default limit on the streams of a
    /// connection, so a client with a single connection rarely reaches it.
    token_requests: usize = 128, "10";
    /// The maximum number of unread response bytes per connection. At the limit, the connection's next request waits
    /// for the peer to read. If the peer does not read enough before the [`request`](Self::request) timeout, that
    /// request gets 500. A single response may exceed the limit, as may the responses to requests that are already in
    /// flight. Default 1 MiB.
    connection_unread_bytes: usize = 1_024 * 1_024, "65_536";
    /// The maximum number of unread response bytes across all connections. Above the limit, the server cuts the
    /// connection whose peer has been behind longest, and starts no further requests until enough memory has been
    /// freed. Default 64 MiB.
    unread_bytes: usize = 64 * 1_024 * 1_024, "1_048_576";
    /// The timeout for an entire TLS handshake, and for the first byte of the first request, starting when the
    /// connection is accepted or its TLS handshake ends. Default 10 s.
    first_byte: Duration = Duration::from_secs(10), "Duration::from_secs(5)";
    /// The timeout from the first byte of a request head to its last. Over HTTP/2, it applies only to the first request
    /// of a connection. Default 10 s.
    head: Duration = Duration::from_secs(10), "Duration::from_secs(5)";
    /// The timeout for the rest of a request body, starting when the server first has to wait for it. Default 10 s.
    body: Duration = Duration::from_secs(10), "Duration::from_secs(30)";
    /// The timeout for the peer to accept all pending bytes, starting when a write stalls or, over HTTP/2, when a
    /// response is ready. Default 10 s.
    write: Duration = Duration::from_secs(10), "Duration::from_secs(30)";
    /// The timeout from the end of a response to the first byte of the next request. Default 75 s. Load balancers
    /// commonly use 60 s, so the server does not close a connection just as the balancer reuses it.
    idle: Duration = Duration::from_secs(75), "Duration::from_secs(300)";
    /// The timeout from the end of a request head to the start of its response. When it expires, the response is 500,
    /// but a write that has begun continues. Default 15 s.
    request: Duration = Duration::from_secs(15), "Duration::from_secs(30)";
    /// The age, plus or minus 10 %, at which the server gracefully closes a connection, so that load balancers can
    /// redistribute the load. Over HTTP/1.1, it closes the connection after its next response, which carries
    /// `Connection: close`. Default 15 min.
    age: Duration = Duration::from_secs(15 * 60), "Duration::from_secs(60)";
    /// The maximum size of a request head in bytes, including the request line. Over HTTP/2, each header field counts
    /// 32 additional bytes (RFC 9113, 6.5.2). Default 16 KiB.
    head_bytes: usize = 16 * 1_024, "8_192";
    /// The maximum number of header fields in a request. Default 64.
    headers: usize = 64, "100";
    /// The maximum combined length of the path and the query, in bytes. Default 4 KiB.
    target_bytes: usize = 4 * 1_024, "2_048";
    /// The maximum number of concurrent requests on one HTTP/2 connection. Default 100.
    streams: u32 = 100, "10";
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
