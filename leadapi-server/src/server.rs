//! The server: binding, serving and graceful shutdown.

use std::{fmt, io, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use futures_util::FutureExt;
use leadapi_core::http::LeadService;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{info, warn};

use crate::{
    host::Host,
    in_flight::RequestsInFlight,
    limits::HttpLimits,
    listen::{Acceptor, ConnectionShares, Replaceable, Socket, TlsAcceptor},
    listener::Listener,
    metrics::Metrics,
    middleware::Middleware,
    shutdown::{Shutdown, ShutdownOutcome, ShutdownPhase},
};

/// A server that is bound to an address.
pub struct Server {
    socket: Socket,
    address: SocketAddr,
    tls: Option<Arc<dyn TlsAcceptor>>,
    limits: HttpLimits,
    drain: Duration,
    stop: Duration,
    force_shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
    metrics: Arc<Metrics>,
    listeners: Vec<NewListener>,
    reserved_descriptors: usize,
}

type NewListener = Box<dyn FnOnce(&Host) -> Listener + Send>;

impl Server {
    /// Binds to an address. With port 0, the operating system chooses the port.
    ///
    /// # Errors
    ///
    /// Returns an error if the address cannot be bound, for example because it is in use.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = Socket::bind(&address.into()).await?;
        Ok(Self {
            address: socket.local_addr().unwrap_or(address),
            socket,
            tls: None,
            limits: HttpLimits::default(),
            drain: Duration::ZERO,
            stop: Duration::from_secs(30),
            force_shutdown: Box::pin(std::future::pending()),
            metrics: Arc::new(Metrics::new().map_err(io::Error::other)?),
            listeners: Vec::new(),
            reserved_descriptors: 0,
        })
    }

    /// Returns the address that the server listens on.
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves HTTP/1.1 and HTTP/2 over TLS, for example with `leadapi-tls`. Without this setting, the server accepts
    /// both protocols in clear text.
    #[must_use]
    pub fn tls(mut self, acceptor: impl TlsAcceptor) -> Self {
        self.tls = Some(Arc::new(acceptor));
        self
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

    /// Sets the metrics, for example those that `leadapi-operator` exports.
    #[must_use]
    pub fn metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// Adds a further listener, which the server starts and stops with its own.
    ///
    /// ```
    /// # use std::convert::Infallible;
    /// # use http::{Request, Response};
    /// # use leadapi_core::http::ResponseBody;
    /// # use leadapi_server::{Listener, RequestBody, Server, Socket};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let page = tower::service_fn(|_: Request<RequestBody>| async {
    ///     Ok::<_, Infallible>(Response::new(ResponseBody::from("my page")))
    /// });
    /// let socket = Socket::bind(&"127.0.0.1:0".parse()?).await?;
    /// let server = Server::bind("127.0.0.1:0".parse()?).await?.listener(Listener::new(socket, page));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn listener(self, listener: Listener) -> Self {
        self.listener_with(|_| listener)
    }

    /// Adds a further listener that uses the API of the server or its callers.
    #[must_use]
    pub fn listener_with(mut self, listener: impl FnOnce(&Host) -> Listener + Send + 'static) -> Self {
        self.listeners.push(Box::new(listener));
        self
    }

    /// Sets how many file descriptors to reserve for a store that opens them after startup. Defaults to 0.
    #[must_use]
    pub const fn reserve_descriptors(mut self, descriptors: usize) -> Self {
        self.reserved_descriptors = descriptors;
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

    /// Serves like [`serve`](Self::serve), except that `stop` returns the drain delay.
    pub async fn serve_until(self, service: LeadService, stop: impl Future<Output = Duration>) -> ShutdownOutcome {
        let Self { socket, tls, mut limits, metrics, mut force_shutdown, .. } = self;
        let share = ConnectionShares::now(self.reserved_descriptors);
        if let Some(share) = share.filter(|share| share.public < limits.connections) {
            limits.connections = share.public;
            info!(connections = share.public, "the open-file limit (ulimit -n) lowers the connection limit");
        }
        let limits = Arc::new(limits);
        let in_flight = RequestsInFlight::new(&limits, metrics.in_flight().clone());
        let middleware = Middleware::new(service, limits.clone(), in_flight.clone(), metrics.clone());
        let acceptor = Acceptor::new(socket, tls, limits, metrics.connections(), Replaceable::Silent);
        let (phase, shutdown) = Shutdown::new();
        let host = Host { middleware: middleware.clone(), shutdown: shutdown.clone() };
        let further = self
            .listeners
            .into_iter()
            .filter_map(|listener| listener(&host).start(&metrics, shutdown.clone(), share.map(|share| share.further)));
        let further: Vec<_> = further.collect();

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
        let (connections, end) = tokio::join!(acceptor.accept(middleware, shutdown.clone()), stopping);
        let last = async {
            connections.until_unused().await;
            // A response of a further listener may contain a secret that no later response can show again.
            for listener in further {
                if let Ok(connections) = listener.await {
                    connections.until_unused().await;
                }
            }
            // A request is in flight only from its first poll, which may follow the close of its connection.
            shutdown.connections_ended().await;
            in_flight.drained().await;
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
