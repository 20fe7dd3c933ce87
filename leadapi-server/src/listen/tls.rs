//! TLS, which another crate implements, with limits on the number and the duration of handshakes.
//!
//! At the limit, a new handshake replaces the oldest.
//! A normal handshake takes only a few round trips, so the oldest ones probably belong to peers that do not intend to
//! finish. If the server refused new handshakes instead, those peers would lock out all others.

use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
    time::timeout,
};

use crate::limits::HttpLimits;

/// Performs TLS handshakes. The crate `leadapi-tls` implements it with rustls.
#[async_trait]
pub trait TlsAcceptor: Send + Sync + 'static {
    /// Performs a handshake on an accepted connection. Returns `None` if no request follows, for example because an
    /// ACME server used the handshake to validate a domain.
    ///
    /// The server limits the number and the duration of handshakes, and drops the future of one that exceeds a limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the handshake fails.
    async fn accept(&self, stream: Box<dyn ByteStream>) -> io::Result<Option<TlsStream>>;
}

/// A stream of bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> ByteStream for S {}

/// A connection after its handshake.
pub struct TlsStream {
    /// The decrypted stream.
    pub stream: Box<dyn ByteStream>,
    /// Whether the peers have negotiated HTTP/2, with ALPN. Otherwise, they use HTTP/1.1.
    pub is_http2: bool,
}

impl fmt::Debug for TlsStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsStream").field("is_http2", &self.is_http2).finish_non_exhaustive()
    }
}

/// An acceptor with the limits of a listener.
#[derive(Clone)]
pub(super) struct Tls {
    acceptor: Arc<dyn TlsAcceptor>,
    handshakes: Arc<Handshakes>,
    time: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error("the handshake timed out")]
    TimedOut,
    #[error("too many concurrent handshakes, of which this was the oldest")]
    Replaced,
    #[error(transparent)]
    Failed(io::Error),
}

impl HandshakeError {
    /// Returns the value of the metric's `reason` label.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::TimedOut => "late",
            Self::Replaced => "crowded",
            Self::Failed(_) => "failed",
        }
    }
}

impl Tls {
    pub(super) fn new(acceptor: Arc<dyn TlsAcceptor>, limits: &HttpLimits) -> Self {
        Self { acceptor, handshakes: Arc::new(Handshakes::new(limits.handshakes)), time: limits.first_byte }
    }

    pub(super) async fn accept(&self, stream: impl ByteStream) -> Result<Option<TlsStream>, HandshakeError> {
        let handshake = self.handshakes.begin();
        let accepted = tokio::select! {
            accepted = timeout(self.time, self.acceptor.accept(Box::new(stream))) => accepted,
            () = handshake.replaced() => return Err(HandshakeError::Replaced),
        };
        accepted.map_err(|_| HandshakeError::TimedOut)?.map_err(HandshakeError::Failed)
    }
}

struct Handshakes {
    limit: usize,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    next: u64,
    /// The handshakes in progress, oldest first.
    by_age: BTreeMap<u64, Arc<Notify>>,
}

/// A guard for a handshake in progress. Dropping the guard removes the handshake from the count.
struct Handshake<'a> {
    handshakes: &'a Handshakes,
    number: u64,
    replaced: Arc<Notify>,
}

impl Handshakes {
    fn new(limit: usize) -> Self {
        Self { limit, running: Mutex::default() }
    }

    fn begin(&self) -> Handshake<'_> {
        let replaced = Arc::new(Notify::new());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.by_age.len() >= self.limit
            && let Some((_, oldest)) = running.by_age.pop_first()
        {
            oldest.notify_one();
        }
        running.next += 1;
        let number = running.next;
        running.by_age.insert(number, replaced.clone());
        Handshake { handshakes: self, number, replaced }
    }
}

impl Handshake<'_> {
    /// Completes when a new handshake replaces this one.
    async fn replaced(&self) {
        self.replaced.notified().await;
    }
}

impl Drop for Handshake<'_> {
    fn drop(&mut self) {
        self.handshakes.running.lock().unwrap_or_else(PoisonError::into_inner).by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_handshake_over_the_limit_replaces_the_oldest() {
        let handshakes = Handshakes::new(2);
        let (first, second) = (handshakes.begin(), handshakes.begin());
        assert!(first.replaced().now_or_never().is_none());
        let third = handshakes.begin();
        assert!(first.replaced().now_or_never().is_some());
        drop(first);
        drop(third);
        let _fourth = handshakes.begin();
        assert!(second.replaced().now_or_never().is_none());
    }
}
