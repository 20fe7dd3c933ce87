//! Accepts connections and enforces the connection limits.

use std::{net::IpAddr, sync::Arc, time::Duration};

use leadapi_access::counted_address;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::{
    close::close,
    connection::{self, ConnectionEnd, Protocol},
    descriptors::Spare,
    handler::Handler,
    open_connections::{OpenConnection, OpenConnections, Replaceable},
    socket::{Accepted, Bound, Socket},
    tls::{ByteStream, Tls, TlsAcceptor, TlsStream},
    unread_responses::UnreadBudget,
};
use crate::{
    limits::HttpLimits,
    metrics::ConnectionMetrics,
    shutdown::{Shutdown, ShutdownPhase},
};

/// The pause after a failed accept. If a resource such as file descriptors is exhausted, the pause gives open
/// connections time to release some.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The minimum interval between log lines about failed accepts, so that a peer that causes them cannot flood the log.
const WARN_INTERVAL: Duration = Duration::from_secs(1);

/// A bound socket with the handler of its connections.
pub(crate) struct Acceptor {
    socket: Bound,
    handler: ConnectionHandler,
}

/// A handler that admits accepted connections and serves them.
struct ConnectionHandler {
    tls: Option<Tls>,
    limits: Arc<HttpLimits>,
    metrics: ConnectionMetrics,
    connections: OpenConnections,
    unread: UnreadBudget,
}

impl Acceptor {
    pub(crate) fn new(
        socket: Socket,
        tls: Option<Arc<dyn TlsAcceptor>>,
        limits: Arc<HttpLimits>,
        metrics: ConnectionMetrics,
        replaceable: Replaceable,
    ) -> Self {
        let Socket(socket) = socket;
        // All connections to a Unix socket have the same source.
        let address_limit = if matches!(socket, Bound::Tcp(_)) { limits.address_connections } else { 0 };
        let connections = OpenConnections::new(limits.connections, address_limit, replaceable);
        let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
        let tls = tls.map(|acceptor| Tls::new(acceptor, &limits));
        Self { socket, handler: ConnectionHandler { tls, limits, metrics, connections, unread } }
    }

    /// Accepts connections until the server stops. Returns the connections that are still open.
    pub(crate) async fn accept(self, service: impl Handler, shutdown: Shutdown) -> OpenConnections {
        let Self { socket, handler } = self;
        let (mut spare, mut last_warning) = (Spare::new(), None::<Instant>);
        let mut stopping = std::pin::pin!(shutdown.clone().reached(ShutdownPhase::Stopping));
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stopping => break,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok(accepted) => handler.begin(accepted, &service, &shutdown),
                Err(error) => {
                    handler.metrics.record_accept_error();
                    if last_warning.is_none_or(|last| last.elapsed() > WARN_INTERVAL) {
                        last_warning = Some(Instant::now());
                        warn!(%error, "a connection could not be accepted");
                    }
                    if spare.refuse(&socket, &error) {
                        handler.metrics.record_refused();
                    } else {
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        }
        if let Bound::Tcp(socket) = socket {
            for (stream, peer) in close(socket) {
                handler.begin(Accepted::Tcp(stream, peer), &service, &shutdown);
            }
        }
        handler.connections
    }
}

impl ConnectionHandler {
    fn begin(&self, accepted: Accepted, service: &impl Handler, shutdown: &Shutdown) {
        match accepted {
            Accepted::Tcp(stream, peer) => {
                // A peer without an address has already disconnected.
                if stream.peer_addr().is_err() {
                    return;
                }
                let Some(open) = self.open(Some(counted_address(peer.ip()))) else { return };
                // hyper already combines small writes, so Nagle's algorithm would only delay responses.
                if let Err(error) = stream.set_nodelay(true) {
                    debug!(%error, "cannot set TCP_NODELAY");
                }
                tokio::spawn(self.serve(stream, open, service.for_peer(peer.ip()), shutdown.clone()));
            }
            #[cfg(unix)]
            Accepted::Unix(stream) => {
                let Some(open) = self.open(None) else { return };
                tokio::spawn(self.serve(stream, open, service.clone(), shutdown.clone()));
            }
        }
    }

    /// Opens a connection if the limits allow it. Otherwise, the caller closes the connection.
    fn open(&self, source: Option<IpAddr>) -> Option<OpenConnection> {
        let open = self.connections.open(source);
        if open.is_none() {
            self.metrics.record_refused();
            debug!("closed a connection: too many connections, or too many from one address");
        }
        open
    }

    fn serve<H: Handler, S: ByteStream>(
        &self,
        stream: S,
        open: OpenConnection,
        service: H,
        shutdown: Shutdown,
    ) -> impl Future<Output = ()> + Send + use<H, S> {
        let (tls, limits, metrics) = (self.tls.clone(), self.limits.clone(), self.metrics.clone());
        let unread = self.unread.share();
        async move {
            let _counted = metrics.open();
            let end = match tls {
                None => connection::serve(stream, None, service, &limits, (unread, open), shutdown).await,
                Some(tls) => {
                    let accepted = tokio::select! {
                        biased;
                        accepted = tls.accept(stream) => accepted,
                        () = shutdown.clone().ends_connection() => return,
                        () = open.replaced() => return metrics.record_cut(ConnectionEnd::REPLACED),
                    };
                    match accepted {
                        Ok(Some(TlsStream { stream, is_http2 })) => {
                            let protocol = if is_http2 { Protocol::Http2 } else { Protocol::Http1 };
                            connection::serve(stream, Some(protocol), service, &limits, (unread, open), shutdown).await
                        }
                        Ok(None) => return,
                        Err(error) => {
                            debug!(%error, "a TLS handshake failed");
                            return metrics.record_failed_handshake(error.name());
                        }
                    }
                }
            };
            match end {
                ConnectionEnd::Closed => {}
                ConnectionEnd::TimedOut(wait) => metrics.record_cut(wait.name()),
                ConnectionEnd::Replaced => metrics.record_cut(ConnectionEnd::REPLACED),
            }
        }
    }
}
