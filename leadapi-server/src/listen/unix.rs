//! Accepts connections on a Unix socket.

use std::{sync::Arc, time::Duration};

use tokio::net::UnixListener;
use tracing::{debug, warn};

use super::{connection, handler::Handler, unread_responses::UnreadBudget};
use crate::{
    concurrency_limit::ConcurrencyLimit,
    limits::HttpLimits,
    metrics::ConnectionMetrics,
    shutdown::{Shutdown, ShutdownPhase},
};

/// The pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the server stops, and closes those above the connection limit. Returns the limit, whose
/// permits the open connections still hold.
pub(crate) async fn accept_unix(
    socket: &UnixListener,
    service: impl Handler,
    limits: Arc<HttpLimits>,
    metrics: ConnectionMetrics,
    shutdown: Shutdown,
) -> ConcurrencyLimit {
    let limit = ConcurrencyLimit::new(limits.connections);
    let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
    let mut stopping = std::pin::pin!(shutdown.clone().reached(ShutdownPhase::Stopping));
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stopping => return limit,
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
        let Some(permit) = limit.try_acquire() else {
            debug!("closed a connection to the Unix socket: too many connections");
            continue;
        };
        let (service, limits, unread, shutdown) = (service.clone(), limits.clone(), unread.share(), shutdown.clone());
        tokio::spawn(async move {
            connection::serve(stream, None, service, &limits, unread, shutdown).await;
            drop(permit);
        });
    }
}
