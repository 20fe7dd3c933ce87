//! The command-line options for [`HttpLimits`].

use clap::Args;
use humantime::Duration;
use leadapi_server::HttpLimits;

use crate::value::{number, time};

/// Declares the options from one table. A row has the help, the option with its limit, the variable, and the name and
/// the parser of the value. The default value is the default of the limit in `HttpLimits`.
macro_rules! options {
    ($($(#[$help:meta])* $option:ident: $type:ty = $limit:ident, $env:literal, $value:literal, $parser:expr;)*) => {
        #[derive(Debug, Clone, Args)]
        #[command(next_help_heading = "Limits")]
        pub(super) struct LimitOptions {$(
            $(#[$help])*
            #[arg(
                long,
                env = $env,
                value_name = $value,
                value_parser = $parser,
                default_value_t = HttpLimits::default().$limit.into()
            )]
            $option: $type,
        )*}

        impl From<LimitOptions> for HttpLimits {
            fn from(options: LimitOptions) -> Self {
                Self::default()$(.$limit(options.$option.into()))*
            }
        }

        /// The name and the default of each option, for the test of the documentation.
        #[cfg(test)]
        fn defaults() -> Vec<(&'static str, String)> {
            vec![$((stringify!($option), <$type>::from(HttpLimits::default().$limit).to_string())),*]
        }
    };
}

options! {
    /// Maximum number of connections; at the limit, a new connection replaces the oldest one without a request, or is
    /// closed immediately. The server lowers it if the open-file limit of the process (ulimit -n) is too low.
    max_connections: usize = connections, "LEADAPI_MAX_CONNECTIONS", "N", number::<usize>;
    /// Maximum number of connections from one client address. An IPv6 /64 network counts as one address. Set it to 0
    /// (no limit) behind a proxy or load balancer, where all connections come from the same address.
    max_address_connections: usize = address_connections, "LEADAPI_MAX_ADDRESS_CONNECTIONS", "N", number::<usize>;
    /// Maximum number of concurrent TLS handshakes; each additional handshake aborts the oldest.
    max_handshakes: usize = handshakes, "LEADAPI_MAX_HANDSHAKES", "N", number::<usize>;
    /// Maximum number of in-flight requests, not counting those that wait for their body; additional requests get 500
    /// with Retry-After: 1.
    max_requests: usize = requests, "LEADAPI_MAX_REQUESTS", "N", number::<usize>;
    /// Maximum number of in-flight requests per token; additional requests get 500 with Retry-After: 1.
    max_token_requests: usize = token_requests, "LEADAPI_MAX_TOKEN_REQUESTS", "N", number::<usize>;
    /// Maximum unread response bytes on one connection; above it, the next request on the connection waits.
    max_connection_unread_bytes: usize = connection_unread_bytes, "LEADAPI_MAX_CONNECTION_UNREAD_BYTES", "BYTES", number::<usize>;
    /// Maximum unread response bytes across all connections; above it, the server closes the connection that has been
    /// behind longest.
    max_unread_bytes: usize = unread_bytes, "LEADAPI_MAX_UNREAD_BYTES", "BYTES", number::<usize>;
    /// Maximum number of concurrent requests on one HTTP/2 connection.
    max_streams: u32 = streams, "LEADAPI_MAX_STREAMS", "N", number::<u32>;
    /// Maximum number of header fields in a request.
    max_headers: usize = headers, "LEADAPI_MAX_HEADERS", "N", number::<usize>;
    /// Maximum size of a request head, in bytes.
    max_head_bytes: usize = head_bytes, "LEADAPI_MAX_HEAD_BYTES", "BYTES", number::<usize>;
    /// Maximum length of path and query, in bytes.
    max_target_bytes: usize = target_bytes, "LEADAPI_MAX_TARGET_BYTES", "BYTES", number::<usize>;
    /// Maximum time until the first byte on a new connection, and for a TLS handshake.
    first_byte_timeout: Duration = first_byte, "LEADAPI_FIRST_BYTE_TIMEOUT", "TIME", time;
    /// Maximum time for a request head to arrive, from its first byte.
    head_timeout: Duration = head, "LEADAPI_HEAD_TIMEOUT", "TIME", time;
    /// Maximum time for a request body to arrive.
    body_timeout: Duration = body, "LEADAPI_BODY_TIMEOUT", "TIME", time;
    /// Maximum time for a client that is behind to read all pending bytes.
    write_timeout: Duration = write, "LEADAPI_WRITE_TIMEOUT", "TIME", time;
    /// Maximum idle time of a connection between requests; set it longer than the idle timeout of any load balancer in
    /// front of the server.
    idle_timeout: Duration = idle, "LEADAPI_IDLE_TIMEOUT", "TIME", time;
    /// Maximum time until the start of a response; after that, the response is 500.
    request_timeout: Duration = request, "LEADAPI_REQUEST_TIMEOUT", "TIME", time;
    /// Maximum age of a connection, plus or minus 10 %; after that, the server closes it after its next response.
    connection_age: Duration = age, "LEADAPI_CONNECTION_AGE", "TIME", time;
}

#[cfg(test)]
mod tests {
    use super::defaults;

    /// Returns a default as the README shows it: `10,000`, `16 KiB`, `1 MiB`, `75 s` or `15 min`.
    fn shown(default: &str) -> String {
        if let Ok(time) = default.parse::<humantime::Duration>() {
            let seconds = time.as_secs();
            return if seconds < 100 { format!("{seconds} s") } else { format!("{} min", seconds / 60) };
        }
        match default.parse::<usize>().unwrap() {
            bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
            bytes if bytes % 1_024 == 0 && bytes > 1_024 => format!("{} KiB", bytes >> 10),
            number if number >= 1_000 => format!("{},{:03}", number / 1_000, number % 1_000),
            number => number.to_string(),
        }
    }

    #[test]
    fn the_readme_has_a_row_with_the_default_of_each_limit() {
        let readme = include_str!("../../README.md");
        assert_eq!(defaults().len(), 18);
        for (option, default) in defaults() {
            let row = format!("| `{}` | {}", option.replace('_', "-"), shown(&default));
            let rows = readme.lines().filter(|line| {
                line.strip_prefix(&row).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
            });
            assert_eq!(rows.count(), 1, "{row}");
        }
    }
}
