//! The settings of [`HttpLimits`].

use std::time::Duration;

use clap::Args;
use humantime::parse_duration;

use crate::HttpLimits;

/// What the listener bears. Each of these may also be in the environment, as `LEADAPI_MAX_CONNECTIONS` and so on.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitOptions {
    /// How many connections there may be at a time; one more is closed at once [default: 10000, or 80 % of the
    /// descriptors that the process may have].
    #[arg(long, env = "LEADAPI_MAX_CONNECTIONS", value_name = "N")]
    max_connections: Option<usize>,
    /// How many TLS handshakes there may be at a time; when one more begins, the one that has taken longest is cut.
    #[arg(long, env = "LEADAPI_MAX_HANDSHAKES", value_name = "N", default_value = "1024")]
    max_handshakes: usize,
    /// How many requests may be in work at a time; one more is answered 500 with Retry-After: 1.
    #[arg(long, env = "LEADAPI_MAX_REQUESTS", value_name = "N", default_value = "1024")]
    max_requests: usize,
    /// How many requests may run on one connection of HTTP/2 at a time.
    #[arg(long, env = "LEADAPI_MAX_STREAMS", value_name = "N", default_value = "100")]
    max_streams: u32,
    /// How many header fields a request may have.
    #[arg(long, env = "LEADAPI_MAX_HEADERS", value_name = "N", default_value = "64")]
    max_headers: usize,
    /// How many bytes the head of a request may have.
    #[arg(long, env = "LEADAPI_MAX_HEAD_BYTES", value_name = "BYTES", default_value = "16384")]
    max_head_bytes: usize,
    /// How many bytes a path and its query may have.
    #[arg(long, env = "LEADAPI_MAX_TARGET_BYTES", value_name = "BYTES", default_value = "4096")]
    max_target_bytes: usize,
    /// How long a new connection may send nothing, and a TLS handshake may take.
    #[arg(long, env = "LEADAPI_FIRST_BYTE_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    first_byte_timeout: Duration,
    /// How long the head of a request may take from its first byte.
    #[arg(long, env = "LEADAPI_HEAD_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    head_timeout: Duration,
    /// How long the body of a request may take.
    #[arg(long, env = "LEADAPI_BODY_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    body_timeout: Duration,
    /// How long a client may take to read what it was sent, once it is behind.
    #[arg(long, env = "LEADAPI_WRITE_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    write_timeout: Duration,
    /// How long a connection may be without a request; longer than that of a balancer in front.
    #[arg(long, env = "LEADAPI_IDLE_TIMEOUT", value_name = "TIME", default_value = "75s", value_parser = parse_duration)]
    idle_timeout: Duration,
    /// How long an answer may take; it is 500 then.
    #[arg(long, env = "LEADAPI_REQUEST_TIMEOUT", value_name = "TIME", default_value = "15s", value_parser = parse_duration)]
    request_timeout: Duration,
    /// How old a connection may become, give or take a tenth, before it is closed after the request that runs.
    #[arg(long, env = "LEADAPI_CONNECTION_AGE", value_name = "TIME", default_value = "15min", value_parser = parse_duration)]
    connection_age: Duration,
}

impl From<LimitOptions> for HttpLimits {
    fn from(options: LimitOptions) -> Self {
        let default = Self::default();
        Self {
            connections: options.max_connections.unwrap_or(default.connections),
            handshakes: options.max_handshakes,
            requests: options.max_requests,
            first_byte: options.first_byte_timeout,
            head: options.head_timeout,
            body: options.body_timeout,
            write: options.write_timeout,
            idle: options.idle_timeout,
            request: options.request_timeout,
            age: options.connection_age,
            head_bytes: options.max_head_bytes,
            headers: options.max_headers,
            target_bytes: options.max_target_bytes,
            streams: options.max_streams,
        }
    }
}
