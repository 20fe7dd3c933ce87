//! The settings of [`HttpLimits`].

use clap::Args;
use humantime::Duration;

use crate::{
    HttpLimits,
    cli::value::{time, whole},
};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitOptions {
    /// Maximum number of connections; one more is closed at once. The maximum is lower where the process may not open as
    /// many files (ulimit -n).
    #[arg(long, env = "LEADAPI_MAX_CONNECTIONS", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().connections)]
    max_connections: usize,
    /// How many connections one client address may have at a time, an IPv6 network of /64 counting as one; one more is
    /// closed at once. 0 is no limit: set it behind a proxy or balancer, whose address all connections come from.
    #[arg(long, env = "LEADAPI_MAX_ADDRESS_CONNECTIONS", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().address_connections)]
    max_address_connections: usize,
    /// How many TLS handshakes there may be at a time; when one more begins, the one that has taken longest is cut.
    #[arg(long, env = "LEADAPI_MAX_HANDSHAKES", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().handshakes)]
    max_handshakes: usize,
    /// How many requests may be in work at a time, without those whose body is waited for; one more is answered 500
    /// with Retry-After: 1.
    #[arg(long, env = "LEADAPI_MAX_REQUESTS", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().requests)]
    max_requests: usize,
    /// How many requests of one token may be in flight at a time; one more is answered 500 with Retry-After: 1.
    #[arg(long, env = "LEADAPI_MAX_TOKEN_REQUESTS", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().token_requests)]
    max_token_requests: usize,
    /// How many bytes of answers a client may leave unread on one connection before its next request waits.
    #[arg(long, env = "LEADAPI_MAX_CONNECTION_UNREAD_BYTES", value_name = "BYTES", value_parser = whole::<usize>, default_value_t = HttpLimits::default().connection_unread_bytes)]
    max_connection_unread_bytes: usize,
    /// How many bytes of answers may be unread over all connections; with one more, the connection that has been behind
    /// for longest is cut.
    #[arg(long, env = "LEADAPI_MAX_UNREAD_BYTES", value_name = "BYTES", value_parser = whole::<usize>, default_value_t = HttpLimits::default().unread_bytes)]
    max_unread_bytes: usize,
    /// How many requests may run on one connection of HTTP/2 at a time.
    #[arg(long, env = "LEADAPI_MAX_STREAMS", value_name = "N", value_parser = whole::<u32>, default_value_t = HttpLimits::default().streams)]
    max_streams: u32,
    /// How many header fields a request may have.
    #[arg(long, env = "LEADAPI_MAX_HEADERS", value_name = "N", value_parser = whole::<usize>, default_value_t = HttpLimits::default().headers)]
    max_headers: usize,
    /// How many bytes the head of a request may have.
    #[arg(long, env = "LEADAPI_MAX_HEAD_BYTES", value_name = "BYTES", value_parser = whole::<usize>, default_value_t = HttpLimits::default().head_bytes)]
    max_head_bytes: usize,
    /// How many bytes a path and its query may have.
    #[arg(long, env = "LEADAPI_MAX_TARGET_BYTES", value_name = "BYTES", value_parser = whole::<usize>, default_value_t = HttpLimits::default().target_bytes)]
    max_target_bytes: usize,
    /// How long a new connection may send nothing, and a TLS handshake may take.
    #[arg(long, env = "LEADAPI_FIRST_BYTE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().first_byte.into())]
    first_byte_timeout: Duration,
    /// How long the head of a request may take from its first byte.
    #[arg(long, env = "LEADAPI_HEAD_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().head.into())]
    head_timeout: Duration,
    /// How long the body of a request may take.
    #[arg(long, env = "LEADAPI_BODY_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().body.into())]
    body_timeout: Duration,
    /// How long a client may take to read what it was sent, once it is behind.
    #[arg(long, env = "LEADAPI_WRITE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().write.into())]
    write_timeout: Duration,
    /// How long a connection may be without a request; longer than that of a balancer in front.
    #[arg(long, env = "LEADAPI_IDLE_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().idle.into())]
    idle_timeout: Duration,
    /// How long an answer may take; it is 500 then.
    #[arg(long, env = "LEADAPI_REQUEST_TIMEOUT", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().request.into())]
    request_timeout: Duration,
    /// How old a connection may become, give or take a tenth, before it is closed after the request that runs.
    #[arg(long, env = "LEADAPI_CONNECTION_AGE", value_name = "TIME", value_parser = time, default_value_t = HttpLimits::default().age.into())]
    connection_age: Duration,
}

impl From<LimitOptions> for HttpLimits {
    fn from(options: LimitOptions) -> Self {
        Self {
            connections: options.max_connections,
            address_connections: options.max_address_connections,
            handshakes: options.max_handshakes,
            requests: options.max_requests,
            token_requests: options.max_token_requests,
            connection_unread_bytes: options.max_connection_unread_bytes,
            unread_bytes: options.max_unread_bytes,
            streams: options.max_streams,
            headers: options.max_headers,
            head_bytes: options.max_head_bytes,
            target_bytes: options.max_target_bytes,
            first_byte: options.first_byte_timeout.into(),
            head: options.head_timeout.into(),
            body: options.body_timeout.into(),
            write: options.write_timeout.into(),
            idle: options.idle_timeout.into(),
            request: options.request_timeout.into(),
            age: options.connection_age.into(),
        }
    }
}
