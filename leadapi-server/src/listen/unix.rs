//! Accepts connections on a Unix socket.

use std::{sync::Arc, time::Duration};

use tokio::net::UnixListener;
use tracing::{debug, warn};

use super::{
    connection,
    handler::Handler,
    open_connections::{OpenConnections, Replaceable},
    unread_responses::UnreadBudget,
};
use crate::{
    limits::HttpLimits,
    metrics::ConnectionMetrics,
    shutdown::{Shutdown, ShutdownPhase},
};

/// The pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the server stops. At the connection limit, a new connection replaces the one that has been
/// idle longest. Returns the connections that are still open.
pub(crate) async fn accept_unix(
    socket: &UnixListener,
    service: impl Handler,
    limits: Arc<HttpLimits>,
    metrics: ConnectionMetrics,
    shutdown: Shutdown,
) -> OpenConnections {
    let connections = OpenConnections::new(limits.connections, 0, Replaceable::Idle);
    let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
    let mut stopping = std::pin::pin!(shutdown.clone().reached(ShutdownPhase::Stopping));
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stopping => return connections,
            accepted = socket.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                warn!(%error, "a connection to the Unix socket could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(open) = connections.open(None) else {
            debug!("closed a connection to the Unix socket: too many connections");
            continue;
        };
        let (service, limits, unread, shutdown) = (service.clone(), limits.clone(), unread.share(), shutdown.clone());
        tokio::spawn(async move {
            connection::serve(stream, None, service, &limits, (unread, open), shutdown).await;
        });
    }
}
