//! One connection, from its first byte to its end.

mod answering;
mod backlog;
mod body;
mod deadlines;
mod noted;
mod request;
mod watch;

use std::{
    hash::{BuildHasher, RandomState},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::BytesMut;
use hyper::server::conn::{http1, http2};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::graceful::GracefulConnection,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    time::{Instant, timeout_at},
};
use tracing::debug;

use self::{answering::answering, backlog::Backlog, body::Rest, deadlines::Deadlines, noted::Noted, watch::Watch};
pub(crate) use self::{body::Timely, deadlines::Wait};
use super::{Handler, unread::UnreadShare};
use crate::{limits::HttpLimits, shutdown::Shutdown};

/// The first bytes of a client that uses HTTP/2 without TLS (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The flow-control windows of HTTP/2, in bytes. Bodies are small, and the server buffers whatever a peer sends
/// unasked.
const STREAM_WINDOW: u32 = 64 * 1_024;
const CONNECTION_WINDOW: u32 = 1_024 * 1_024;
/// How many streams a peer may reset before they are handled, or make the server reset, until its connection is
/// closed.
const PENDING_RESETS: usize = 20;
const ERROR_RESETS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Closed gracefully, or by the peer.
    Closed,
    /// Cut, because what the server waited for did not happen.
    Cut(Wait),
}

/// The state that the stream of a connection, its requests and its watch share.
#[derive(Clone)]
struct Shared(Arc<Connection>);

struct Connection {
    shutdown: Shutdown,
    is_http1: bool,
    backlog: Backlog,
    table: Mutex<Table>,
}

struct Table {
    deadlines: Deadlines,
    /// The unread body of each running request, by the number of the request. Usually empty.
    unread: Vec<(u64, Rest)>,
    /// Fixed while the connection is polled. All events of one poll happen at the same time, and reading the clock
    /// for each event would cost more than the event.
    now: Option<Instant>,
}

impl Shared {
    fn new(deadlines: Deadlines, protocol: Protocol, backlog: Backlog, shutdown: Shutdown) -> Self {
        let table = Mutex::new(Table { deadlines, unread: Vec::new(), now: None });
        Self(Arc::new(Connection { shutdown, is_http1: protocol == Protocol::Http1, backlog, table }))
    }

    fn shutdown(&self) -> &Shutdown {
        &self.0.shutdown
    }

    fn backlog(&self) -> &Backlog {
        &self.0.backlog
    }

    /// Records that everything written before has gone to the peer, as far as the server can know.
    fn flushed(&self) {
        // In HTTP/2 a part of a response may still wait for flow control.
        if self.0.is_http1 {
            self.0.backlog.flushed();
        }
    }

    /// Calls `happens` with the deadlines and the current time.
    fn with<T>(&self, happens: impl FnOnce(&mut Deadlines, Instant) -> T) -> T {
        let mut table = self.lock();
        let now = table.now();
        happens(&mut table.deadlines, now)
    }

    /// Keeps the unread rest of the body of a request, or drops it if the request is over.
    fn leave(&self, request: u64, rest: Rest) {
        let mut table = self.lock();
        if table.deadlines.runs(request) {
            table.unread.push((request, rest));
        }
    }

    /// Takes the unread rest of the body of a request.
    fn take_rest(&self, request: u64) -> Option<Rest> {
        self.lock().take_rest(request)
    }

    /// Ends a request and drops any unread rest of its body. The peer has read the response, or in HTTP/1 the next
    /// flush writes it.
    fn end(&self, request: u64, unread: usize) {
        if self.0.is_http1 {
            self.0.backlog.hand_on(unread);
        } else {
            self.0.backlog.remove(unread);
            self.0.backlog.settle();
        }
        let mut table = self.lock();
        let now = table.now();
        table.deadlines.ended(request, now);
        let rest = table.take_rest(request);
        drop(table);
        drop(rest);
    }

    /// Fixes the time while the connection is polled.
    fn hold(&self) -> Instant {
        *self.lock().now.insert(Instant::now())
    }

    /// Lets time go on, and returns what the server waits for next, and until when.
    fn release(&self) -> (Wait, Instant) {
        let mut table = self.lock();
        table.now = None;
        table.deadlines.due()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // A panic while the lock is held leaves nothing half done in the table.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn now(&self) -> Instant {
        self.now.unwrap_or_else(Instant::now)
    }

    fn take_rest(&mut self, request: u64) -> Option<Rest> {
        let at = self.unread.iter().position(|(of, _)| *of == request)?;
        Some(self.unread.swap_remove(at).1)
    }
}

/// Serves a connection to its end. If the protocol is not known, the first bytes decide.
pub(super) async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    protocol: Option<Protocol>,
    service: impl Handler,
    limits: &Arc<HttpLimits>,
    unread: UnreadShare,
    shutdown: Shutdown,
) -> End {
    let start = Instant::now();
    let mut ahead = BytesMut::new();
    let protocol = if let Some(protocol) = protocol {
        protocol
    } else {
        let seen = tokio::select! {
            biased;
            seen = timeout_at(start + limits.first_byte, see_protocol(&mut stream, &mut ahead)) => seen,
            () = shutdown.clone().ends_connection() => return End::Closed,
        };
        match seen {
            Ok(Ok(Some(protocol))) => protocol,
            Ok(Ok(None) | Err(_)) => return End::Closed,
            Err(_) => return End::Cut(Wait::FirstByte),
        }
    };
    let mut table = Deadlines::new(limits.clone(), start);
    if !ahead.is_empty() {
        table.read(Instant::now());
    }
    if protocol == Protocol::Http2 {
        table.multiplexed();
    }
    let backlog = Backlog::new(limits.connection_unread_bytes, unread.budget().clone());
    let shared = Shared::new(table, protocol, backlog, shutdown);
    let stream = TokioIo::new(Noted::new(stream, ahead.freeze(), shared.clone()));
    let service = answering(service, limits, &shared);
    let retires = start + with_jitter(limits.age);
    match protocol {
        Protocol::Http1 => watched(http1(limits).serve_connection(stream, service), shared, unread, retires).await,
        Protocol::Http2 => watched(http2(limits).serve_connection(stream, service), shared, unread, retires).await,
    }
}

/// Reads until the protocol of the peer is clear; `None` if the peer closes first.
async fn see_protocol(stream: &mut (impl AsyncRead + Unpin), ahead: &mut BytesMut) -> io::Result<Option<Protocol>> {
    while stream.read_buf(ahead).await? > 0 {
        if ahead.starts_with(PREFACE) {
            return Ok(Some(Protocol::Http2));
        }
        if !PREFACE.starts_with(ahead) {
            return Ok(Some(Protocol::Http1));
        }
    }
    Ok(None)
}

/// The timeout of hyper is off: it would treat the wait for the next request as the wait for the rest of a head.
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
        // A ping detects a peer that vanished without closing.
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    http
}

async fn watched<C>(connection: C, shared: Shared, unread: UnreadShare, retires: Instant) -> End
where
    C: GracefulConnection<Error = hyper::Error>,
{
    let stop = shared.shutdown().clone().ends_connection();
    match Watch::new(connection, shared, unread, retires, stop).await {
        watch::End::Closed(Ok(())) => End::Closed,
        watch::End::Closed(Err(error)) => {
            debug!(%error, "a connection ended early");
            End::Closed
        }
        watch::End::Cut(wait) => End::Cut(wait),
    }
}

/// Varies the age by up to a tenth, so that connections that were made together do not all reconnect together.
fn with_jitter(age: Duration) -> Duration {
    let random = RandomState::new().hash_one(()) % 201;
    age * 9 / 10 + age / 1_000 * u32::try_from(random).unwrap_or_default()
}

#[cfg(test)]
impl Shared {
    fn new_for_tests() -> Self {
        let gauge = prometheus::IntGauge::new("unread", "unread").unwrap();
        let deadlines = Deadlines::new(Arc::new(HttpLimits::default()), Instant::now());
        let backlog = Backlog::new(1, super::unread::UnreadBudget::new(1, gauge));
        Self::new(deadlines, Protocol::Http1, backlog, Shutdown::new().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits until the clock has advanced.
    fn pass_time() {
        let begun = Instant::now();
        while Instant::now() == begun {}
    }

    #[test]
    fn time_stands_still_only_while_the_connection_is_polled() {
        let shared = Shared::new_for_tests();
        let now = || shared.with(|_, now| now);
        let held = shared.hold();
        pass_time();
        assert_eq!(now(), held);
        shared.release();
        pass_time();
        assert!(now() > held);
    }
}
