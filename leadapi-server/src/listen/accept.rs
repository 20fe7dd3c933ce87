//! Accepts connections and enforces the connection limits.

use std::{net::IpAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tracing::{debug, warn};

use super::{
    address::counted_address,
    close::close,
    connection::{self, ConnectionEnd},
    descriptors::Spare,
    handler::Handler,
    tls::Tls,
    unread_responses::UnreadBudget,
};
use crate::{
    concurrency_limit::{ConcurrencyLimit, Permit},
    keyed_limit::{KeyedLimit, KeyedPermit},
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
    limit: ConcurrencyLimit,
    /// `None` if there is no per-address limit.
    by_address: Option<KeyedLimit<IpAddr>>,
    unread: UnreadBudget,
}

/// The permits that a connection holds while it is open.
type ConnectionPermits = (Permit, Option<KeyedPermit<IpAddr>>);

impl Listener {
    pub(crate) fn new(
        socket: TcpListener,
        tls: Option<Tls>,
        limits: Arc<HttpLimits>,
        metrics: ConnectionMetrics,
    ) -> Self {
        let limit = ConcurrencyLimit::new(limits.connections);
        let by_address = Some(limits.address_connections).filter(|limit| *limit > 0).map(KeyedLimit::new);
        let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
        Self { socket, handler: ConnectionHandler { tls, limits, metrics, limit, by_address, unread } }
    }

    /// Accepts connections until the server stops. Returns the connection limit, whose permits the open connections
    /// still hold.
    pub(crate) async fn accept(self, service: impl Handler, shutdown: Shutdown) -> ConcurrencyLimit {
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
        handler.limit
    }
}

impl ConnectionHandler {
    /// Serves a connection if the limits allow it; otherwise closes it.
    fn begin(&self, stream: TcpStream, service: &impl Handler, shutdown: &Shutdown) {
        let Some(permits) = self.acquire(&stream) else {
            self.metrics.record_refused();
            debug!("closed a connection: too many connections, or too many from one address");
            return;
        };
        // hyper already combines small writes, so Nagle's algorithm would only delay responses.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "cannot set TCP_NODELAY");
        }
        tokio::spawn(self.serve(stream, permits, service.clone(), shutdown.clone()));
    }

    fn acquire(&self, stream: &TcpStream) -> Option<ConnectionPermits> {
        let by_address = match &self.by_address {
            None => None,
            // A peer without an address has already disconnected.
            Some(limit) => Some(limit.acquire(counted_address(stream.peer_addr().ok()?.ip()))?),
        };
        Some((self.limit.try_acquire()?, by_address))
    }

    fn serve<H: Handler>(
        &self,
        stream: TcpStream,
        permits: ConnectionPermits,
        service: H,
        shutdown: Shutdown,
    ) -> impl Future<Output = ()> + Send + use<H> {
        let (tls, limits, metrics) = (self.tls.clone(), self.limits.clone(), self.metrics.clone());
        let unread = self.unread.share();
        async move {
            let _open = metrics.open();
            let end = match tls {
                None => connection::serve(stream, None, service, &limits, unread, shutdown).await,
                Some(tls) => {
                    let accepted = tokio::select! {
                        biased;
                        accepted = tls.accept(stream) => accepted,
                        () = shutdown.clone().ends_connection() => return,
                    };
                    match accepted {
                        Ok(Some((stream, protocol))) => {
                            connection::serve(stream, Some(protocol), service, &limits, unread, shutdown).await
                        }
                        Ok(None) => return debug!("an ACME server has validated a domain"),
                        Err(error) => {
                            debug!(%error, "a TLS handshake failed");
                            return metrics.record_failed_handshake(error.name());
                        }
                    }
                }
            };
            if let ConnectionEnd::TimedOut(wait) = end {
                metrics.record_cut(wait.name());
            }
            drop(permits);
        }
    }
}
