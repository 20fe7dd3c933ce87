//! Accepts connections and enforces the connection limits.

use std::{sync::Arc, time::Duration};

use leadapi_access::counted_address;
use tokio::{
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tracing::{debug, warn};

use super::{
    close::close,
    connection::{self, ConnectionEnd},
    descriptors::Spare,
    handler::Handler,
    open_connections::{OpenConnection, OpenConnections, Replaceable},
    tls::Tls,
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

pub(crate) struct Listener {
    socket: TcpListener,
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

impl Listener {
    pub(crate) fn new(
        socket: TcpListener,
        tls: Option<Tls>,
        limits: Arc<HttpLimits>,
        metrics: ConnectionMetrics,
        replaceable: Replaceable,
    ) -> Self {
        let connections = OpenConnections::new(limits.connections, limits.address_connections, replaceable);
        let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
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
                Ok((stream, peer)) => handler.begin(stream, &service.for_peer(peer.ip()), &shutdown),
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
        for (stream, peer) in close(socket) {
            handler.begin(stream, &service.for_peer(peer.ip()), &shutdown);
        }
        handler.connections
    }
}

impl ConnectionHandler {
    /// Serves a connection if the limits allow it; otherwise closes it.
    fn begin(&self, stream: TcpStream, service: &impl Handler, shutdown: &Shutdown) {
        // A peer without an address has already disconnected.
        let Ok(peer) = stream.peer_addr() else { return };
        let Some(open) = self.connections.open(Some(counted_address(peer.ip()))) else {
            self.metrics.record_refused();
            debug!("closed a connection: too many connections, or too many from one address");
            return;
        };
        // hyper already combines small writes, so Nagle's algorithm would only delay responses.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "cannot set TCP_NODELAY");
        }
        tokio::spawn(self.serve(stream, open, service.clone(), shutdown.clone()));
    }

    fn serve<H: Handler>(
        &self,
        stream: TcpStream,
        open: OpenConnection,
        service: H,
        shutdown: Shutdown,
    ) -> impl Future<Output = ()> + Send + use<H> {
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
                        Ok(Some((stream, protocol))) => {
                            connection::serve(stream, Some(protocol), service, &limits, (unread, open), shutdown).await
                        }
                        Ok(None) => return debug!("an ACME server has validated a domain"),
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
