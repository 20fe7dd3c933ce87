//! The command-line options for [`HttpLimits`].

use clap::Args;
use humantime::Duration;

use crate::value::{number, time};
use leadapi_server::HttpLimits;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitOptions {
    /// Maximum number of connections; at the limit, a new connection replaces the oldest one without a request, or is
    /// closed immediately. The server lowers it if the open-file limit of the process (ulimit -n) is too low.
    #[arg(long, env = "LEADAPI_MAX_CONNECTIONS", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().connections)]
    max_connections: usize,
    /// Maximum number of connections from one client address. An IPv6 /64 network counts as one address. Set it to 0 (no limit) behind a proxy or load balancer, where all connections
    /// come from the same address.
    #[arg(long, env = "LEADAPI_MAX_ADDRESS_CONNECTIONS", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().address_connections)]
    max_address_connections: usize,
    /// Maximum number of concurrent TLS handshakes; each additional handshake aborts the oldest.
    #[arg(long, env = "LEADAPI_MAX_HANDSHAKES", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().handshakes)]
    max_handshakes: usize,
    /// Maximum number of in-flight requests, not counting those that wait for their body; additional requests get 500
    /// with Retry-After: 1.
    #[arg(long, env = "LEADAPI_MAX_REQUESTS", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().requests)]
    max_requests: usize,
    /// Maximum number of in-flight requests per token; additional requests get 500 with Retry-After: 1.
    #[arg(long, env = "LEADAPI_MAX_TOKEN_REQUESTS", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().token_requests)]
    max_token_requests: usize,
    /// Maximum unread response bytes on one connection; above it, the next request on the connection waits.
    #[arg(long, env = "LEADAPI_MAX_CONNECTION_UNREAD_BYTES", value_name = "BYTES", value_parser = number::<usize>, default_value_t = HttpLimits::default().connection_unread_bytes)]
    max_connection_unread_bytes: usize,
    /// Maximum unread response bytes across all connections; above it, the server closes the connection that has been
    /// behind longest.
    #[arg(long, env = "LEADAPI_MAX_UNREAD_BYTES", value_name = "BYTES", value_parser = number::<usize>, default_value_t = HttpLimits::default().unread_bytes)]
    max_unread_bytes: usize,
    /// Maximum number of concurrent requests on one HTTP/2 connection.
    #[arg(long, env = "LEADAPI_MAX_STREAMS", value_name = "N", value_parser = number::<u32>, default_value_t = HttpLimits::default().streams)]
    max_streams: u32,
    /// Maximum number of header fields in a request.
    #[arg(long, env = "LEADAPI_MAX_HEADERS", value_name = "N", value_parser = number::<usize>, default_value_t = HttpLimits::default().headers)]
    max_headers: usize,
    /// Maximum size of a request head, in bytes.
    #[arg(long, env = "LEADAPI_MAX_HEAD_BYTES", value_name = "BYTES", value_parser = number::<usize>, default_value_t = HttpLimits::default().head_bytes)]
    max_head_bytes: usize,
    /// Maximum length of path and query, in bytes.
    #[arg(long, env = "LEADAPI_MAX_TARGET_BYTES", value_name = "BYTES", value_parser = number::<usize>, default_value_t = HttpLimits::default().target_bytes)]
    max_target_bytes: usize,
    /// Maximum time until the first byte on a new connection, and for a TLS handshake.
    #[arg(long, env = "LEADAPI_FIRST_BYTE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().first_byte.into())]
    first_byte_timeout: Duration,
    /// Maximum time for a request head to arrive, from its first byte.
    #[arg(long, env = "LEADAPI_HEAD_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().head.into())]
    head_timeout: Duration,
    /// Maximum time for a request body to arrive.
    #[arg(long, env = "LEADAPI_BODY_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().body.into())]
    body_timeout: Duration,
    /// Maximum time for a client that is behind to read all pending bytes.
    #[arg(long, env = "LEADAPI_WRITE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().write.into())]
    write_timeout: Duration,
    /// Maximum idle time of a connection between requests; set it longer than the idle timeout of any load balancer in
    /// front of the server.
    #[arg(long, env = "LEADAPI_IDLE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().idle.into())]
    idle_timeout: Duration,
    /// Maximum time until the start of a response; after that, the response is 500.
    #[arg(long, env = "LEADAPI_REQUEST_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().request.into())]
    request_timeout: Duration,
    /// Maximum age of a connection, plus or minus 10 %; after that, the server closes it after its next response.
    #[arg(long, env = "LEADAPI_CONNECTION_AGE", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().age.into())]
    connection_age: Duration,
}

impl From<LimitOptions> for HttpLimits {
    fn from(options: LimitOptions) -> Self {
        Self::default()
            .connections(options.max_connections)
            .address_connections(options.max_address_connections)
            .handshakes(options.max_handshakes)
            .requests(options.max_requests)
            .token_requests(options.max_token_requests)
            .connection_unread_bytes(options.max_connection_unread_bytes)
            .unread_bytes(options.max_unread_bytes)
            .streams(options.max_streams)
            .headers(options.max_headers)
            .head_bytes(options.max_head_bytes)
            .target_bytes(options.max_target_bytes)
            .first_byte(options.first_byte_timeout.into())
            .head(options.head_timeout.into())
            .body(options.body_timeout.into())
            .write(options.write_timeout.into())
            .idle(options.idle_timeout.into())
            .request(options.request_timeout.into())
            .age(options.connection_age.into())
    }
}
