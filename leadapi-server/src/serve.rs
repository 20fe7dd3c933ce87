//! Connections: from a listening socket to the service, and their orderly end.

use std::{io, net::SocketAddr, pin::pin, time::Duration};

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use leadapi_core::http::LeadService;
use tokio::net::{TcpListener, TcpStream};
use tracing::{debug, warn};

use crate::stack;

/// A connection that begins a request's head and does not send the rest of it for so long is closed.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// Requests that are still running so long after the end has begun are cut off.
const GRACE: Duration = Duration::from_secs(30);
/// After an accept that failed for want of something, such as file descriptors, this is waited for some to come back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens at an address; port 0 lets the system choose.
    ///
    /// # Errors
    ///
    /// The system's, when the address is taken or may not be used.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { address: listener.local_addr()?, listener })
    }

    /// Where it listens.
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done; then running requests are let to their end, at most 30 s.
    pub async fn serve(self, service: LeadService, stop: impl Future<Output = ()>) {
        let service = TowerToHyperService::new(stack(service));
        let mut http = auto::Builder::new(TokioExecutor::new());
        http.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        http.http2().timer(TokioTimer::new());
        let connections = GracefulShutdown::new();
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => accepted,
            };
            let Some(stream) = ready(accepted).await else { continue };
            let connection = http.serve_connection(TokioIo::new(stream), service.clone()).into_owned();
            let connection = connections.watch(connection);
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    debug!(%error, "a connection ended early");
                }
            });
        }
        // New connections are refused from here on, while the old ones come to their end.
        drop(self.listener);
        if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
            warn!("requests were still running after {GRACE:?} and have been cut off");
        }
    }
}

/// A connection to be served; one that failed is over, and the server goes on.
async fn ready(accepted: io::Result<(TcpStream, SocketAddr)>) -> Option<TcpStream> {
    match accepted {
        Ok((stream, _)) => {
            // An answer is written at once and whole; waiting for more to send only delays it.
            if let Err(error) = stream.set_nodelay(true) {
                debug!(%error, "a connection could not be set to send at once");
            }
            Some(stream)
        }
        Err(error) => {
            warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}
