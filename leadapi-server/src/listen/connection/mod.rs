//! Serves one connection, from its first byte to its close.

mod backlog;
mod deadlines;
mod exchange;
mod monitored_io;
mod protocol;
mod service;
mod state;
mod watch;

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use bytes::BytesMut;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};

use self::{
    backlog::Backlog,
    deadlines::{Deadlines, Wait},
    monitored_io::MonitoredIo,
    service::connection_service,
    state::ConnectionState,
    watch::Watch,
};
pub(super) use self::{protocol::Protocol, watch::ConnectionEnd};
use super::{handler::Handler, open_connections::OpenConnection, unread_responses::UnreadShare};
use crate::{limits::HttpLimits, shutdown::Shutdown};

/// The HTTP/2 flow-control windows, in bytes. They are small because request bodies are small, and because the server
/// has to buffer everything that a peer sends within its window.
const STREAM_WINDOW: u32 = 64 * 1_024;
const CONNECTION_WINDOW: u32 = 1_024 * 1_024;
/// The limits on two kinds of streams: those that the peer resets before they are handled, and those that the server
/// resets because of the peer's errors. If either limit is exceeded, hyper closes the connection.
const PENDING_RESETS: usize = 20;
const ERROR_RESETS: usize = 20;

/// Serves a connection until it closes. If `protocol` is `None`, detects it from the first bytes.
pub(super) async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    protocol: Option<Protocol>,
    handler: impl Handler,
    limits: &Arc<HttpLimits>,
    (unread, open): (UnreadShare, OpenConnection),
    shutdown: Shutdown,
) -> ConnectionEnd {
    let start = Instant::now();
    let mut ahead = BytesMut::new();
    let protocol = if let Some(protocol) = protocol {
        protocol
    } else {
        let detected = tokio::select! {
            biased;
            detected = timeout_at(start + limits.first_byte, Protocol::detect(&mut stream, &mut ahead)) => detected,
            () = shutdown.clone().ends_connection() => return ConnectionEnd::Closed,
            () = open.replaced() => return ConnectionEnd::Replaced,
        };
        match detected {
            Ok(Ok(Some(protocol))) => protocol,
            Ok(Ok(None) | Err(_)) => return ConnectionEnd::Closed,
            Err(_) => return ConnectionEnd::TimedOut(Wait::FirstByte),
        }
    };
    let mut deadlines = Deadlines::new(limits.clone(), start);
    if !ahead.is_empty() {
        deadlines.read(Instant::now());
    }
    if protocol == Protocol::Http2 {
        deadlines.multiplexed();
    }
    let backlog = Backlog::new(limits.connection_unread_bytes, unread.budget().clone());
    let retires = start + with_jitter(limits.age);
    let state = ConnectionState::new(deadlines, protocol, backlog, shutdown, retires);
    let stream = TokioIo::new(MonitoredIo::new(stream, ahead.freeze(), state.clone()));
    let service = connection_service(handler, limits, state.clone());
    match protocol {
        Protocol::Http1 => Watch::new(http1(limits).serve_connection(stream, service), state, unread, open).await,
        Protocol::Http2 => Watch::new(http2(limits).serve_connection(stream, service), state, unread, open).await,
    }
}

/// Returns a builder without hyper's header read timeout, which would also limit the idle time between requests.
fn http1(limits: &HttpLimits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.header_read_timeout(None).max_header_size(limits.head_bytes);
    http
}

fn http2(limits: &HttpLimits) -> http2::Builder<TokioExecutor> {
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(ERROR_RESETS)
        // Pings detect a peer that vanished without closing the connection.
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    http
}

/// Varies the age by up to 10 %, so that clients that connected at the same time do not all reconnect at once.
fn with_jitter(age: Duration) -> Duration {
    let random = RandomState::new().hash_one(()) % 201;
    age * 9 / 10 + age / 1_000 * u32::try_from(random).unwrap_or_default()
}
