//! The server: binding, serving and graceful shutdown.

use std::{fmt, io, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::OptionFuture};
use leadapi_core::http::LeadService;
use tokio::{
    net::TcpListener,
    time::{Instant, sleep, timeout_at},
};
use tracing::{info, warn};

#[cfg(feature = "acme")]
use crate::listen::{AcmeError, AcmeSettings};
#[cfg(feature = "mcp")]
use crate::mcp::McpListener;
use crate::{
    in_flight::RequestsInFlight,
    limits::HttpLimits,
    listen::{Certified, ConnectionShares, Listener, Replaceable, TlsError, TlsFiles},
    metrics::Metrics,
    middleware::Middleware,
    ops::Ops,
    settings::{Settings, SettingsListener},
    shutdown::{Shutdown, ShutdownOutcome, ShutdownPhase},
};

/// A server that is bound to an address.
pub struct Server {
    socket: TcpListener,
    address: SocketAddr,
    tls: Option<Certified>,
    limits: HttpLimits,
    drain: Duration,
    stop: Duration,
    force_shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
    metrics: Arc<Metrics>,
    ops: Option<(TcpListener, Ops)>,
    settings: Option<(SettingsListener, Arc<Settings>)>,
    #[cfg(feature = "mcp")]
    mcp: Option<McpListener>,
    store_descriptors: usize,
}

impl Server {
    /// Binds to an address. With port 0, the operating system chooses the port.
    ///
    /// # Errors
    ///
    /// Returns an error if the address cannot be bound, for example because it is in use.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        Ok(Self {
            address: socket.local_addr()?,
            socket,
            tls: None,
            limits: HttpLimits::default(),
            drain: Duration::ZERO,
            stop: Duration::from_secs(30),
            force_shutdown: Box::pin(std::future::pending()),
            metrics: Arc::new(Metrics::new().map_err(io::Error::other)?),
            ops: None,
            settings: None,
            #[cfg(feature = "mcp")]
            mcp: None,
            store_descriptors: 0,
        })
    }

    /// Returns the address that the server listens on.
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves HTTP/1.1 and HTTP/2 over TLS, negotiated through ALPN. Without this setting, the server accepts both
    /// protocols in clear text.
    ///
    /// # Errors
    ///
    /// Returns [`TlsError`] if a file cannot be read or used.
    pub fn tls(mut self, files: TlsFiles) -> Result<Self, TlsError> {
        self.tls = Some(Certified::read(files)?);
        Ok(self)
    }

    /// Sets the limits. Defaults to [`HttpLimits::default`].
    #[must_use]
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long the server keeps accepting requests after the stop signal, so that load balancers can notice the
    /// shutdown. Defaults to no delay. During the delay, HTTP/1 responses carry `Connection: close`.
    #[must_use]
    pub const fn drain_delay(mut self, delay: Duration) -> Self {
        self.drain = delay;
        self
    }

    /// Sets the time limit for the shutdown, including the drain delay. Defaults to 30 s.
    #[must_use]
    pub const fn stop_timeout(mut self, time: Duration) -> Self {
        self.stop = time;
        self
    }

    /// Ends a shutdown immediately once `signal` completes, even if requests are still in flight.
    #[must_use]
    pub fn force_shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.force_shutdown = Box::pin(signal.fuse());
        self
    }

    /// Serves TLS like [`Self::tls`], with a certificate from an ACME server.
    #[cfg(feature = "acme")]
    pub(crate) fn acme(mut self, settings: AcmeSettings) -> Result<Self, AcmeError> {
        self.tls = Some(Certified::acme(settings)?);
        Ok(self)
    }

    pub(crate) fn metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.metrics = metrics;
        self
    }

    pub(crate) fn ops(mut self, socket: TcpListener, ops: Ops) -> Self {
        self.ops = Some((socket, ops));
        self
    }

    pub(crate) fn settings(mut self, listener: SettingsListener, settings: Arc<Settings>) -> Self {
        self.settings = Some((listener, settings));
        self
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn mcp(mut self, listener: McpListener) -> Self {
        self.mcp = Some(listener);
        self
    }

    /// Sets how many file descriptors to reserve for the store, which opens them after startup.
    pub(crate) const fn store_descriptors(mut self, descriptors: usize) -> Self {
        self.store_descriptors = descriptors;
        self
    }

    /// Serves until `stop` completes, then shuts down gracefully. The server keeps serving for the drain delay, then
    /// stops accepting connections, closes the idle ones and waits for the rest.
    ///
    /// A write that has begun runs to completion, even if its client has disconnected, unless the shutdown is
    /// [forced](ShutdownOutcome::Forced).
    pub async fn serve(self, service: LeadService, stop: impl Future<Output = ()>) -> ShutdownOutcome {
        let delay = self.drain;
        self.serve_until(service, async move {
            stop.await;
            delay
        })
        .await
    }

    /// Like `serve`, except that `stop` returns the drain delay.
    pub(crate) async fn serve_until(
        self,
        service: LeadService,
        stop: impl Future<Output = Duration>,
    ) -> ShutdownOutcome {
        let Self { socket, tls, mut limits, metrics, mut force_shutdown, .. } = self;
        let share = ConnectionShares::now(self.store_descriptors);
        if let Some(share) = share.filter(|share| share.public < limits.connections) {
            limits.connections = share.public;
            info!(connections = share.public, "the open-file limit (ulimit -n) lowers the connection limit");
        }
        let limits = Arc::new(limits);
        let in_flight = RequestsInFlight::new(&limits, metrics.in_flight().clone());
        let handler = Middleware::new(service, limits.clone(), in_flight.clone(), metrics.clone());
        #[cfg(feature = "mcp")]
        let mcp_tls = tls.clone();
        let settings_tls = tls.clone().filter(|_| self.settings.as_ref().is_some_and(|(socket, _)| socket.uses_tls()));
        let tls = tls.map(|certified| certified.bounded(&limits));
        let listener = Listener::new(socket, tls, limits.clone(), metrics.connections(), Replaceable::Silent);
        let (phase, shutdown) = Shutdown::new();
        if let Some((socket, ops)) = self.ops {
            ops.start(socket, handler.clone(), shutdown.clone(), share.map(|share| share.operator));
        }
        let settings = self.settings.map(|(socket, settings)| {
            socket.start(settings, settings_tls, shutdown.clone(), share.map(|share| share.operator))
        });
        #[cfg(feature = "mcp")]
        let mcp = self.mcp.map(|listener| listener.start(handler.clone(), mcp_tls, &limits, shutdown.clone()));

        let stopping = async {
            let drain_delay = stop.await;
            info!(?drain_delay, "shutting down");
            let end = Instant::now() + self.stop;
            phase.send_replace(ShutdownPhase::Draining);
            let forced = tokio::select! {
                () = sleep(drain_delay.min(self.stop)) => false,
                () = &mut force_shutdown => true,
            };
            phase.send_replace(ShutdownPhase::Stopping);
            if forced { Instant::now() } else { end }
        };
        let (connections, end) = tokio::join!(listener.accept(handler, shutdown.clone()), stopping);
        let last = async {
            connections.until_unused().await;
            #[cfg(feature = "mcp")]
            if let Some(mcp) = mcp {
                mcp.closed().await;
            }
            // A request is in flight only from its first poll, which may follow the close of its connection.
            shutdown.connections_ended().await;
            in_flight.drained().await;
            // A response from the API settings may contain a secret that no later response can show again.
            if let Some(Ok(connections)) = OptionFuture::from(settings).await {
                connections.until_unused().await;
            }
        };
        tokio::select! {
            _ = timeout_at(end, last) => {}
            () = &mut force_shutdown => {}
        }
        let running = in_flight.count();
        if running == 0 {
            return ShutdownOutcome::Graceful;
        }
        warn!(running, "requests in flight were cancelled");
        ShutdownOutcome::Forced
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).field("limits", &self.limits).finish_non_exhaustive()
    }
}
