//! Further listeners of a server, for any tower service.

use std::{convert::Infallible, fmt, future::poll_fn, io, net::IpAddr, pin::Pin, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use leadapi_access::{Peer, request_id};
use leadapi_core::{
    BoxError,
    http::{RequestLog, header::X_REQUEST_ID},
};
use tokio::{task::JoinHandle, time::Instant};
use tower_service::Service;

use crate::{
    host::Host,
    limits::HttpLimits,
    listen::{Acceptor, Handler, NotRunnable, OpenConnections, Replaceable, RequestBody, Socket, TlsAcceptor},
    metrics::{ConnectionMetrics, Metrics},
    middleware::{LoggedRequest, Middleware, refusal},
    shutdown::{Shutdown, ShutdownPhase},
};

/// The number of connections of a listener, unless its limits are set. Few people or programs use a further listener.
const CONNECTIONS: usize = 64;

/// A listener for any [`tower_service::Service`], with its own address, certificate and limits.
///
/// A request has the [`Peer`] of its connection as an extension. The listener refuses ambiguous HTTP/1 requests. At the
/// limits on connections, a new connection replaces the one that has been idle longest.
///
/// ```
/// use std::convert::Infallible;
/// use http::{Request, Response};
/// use http_body_util::Full;
/// use leadapi_server::{HttpLimits, Listener, RequestBody, Socket};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let hello = tower::service_fn(|_: Request<RequestBody>| async {
///     Ok::<_, Infallible>(Response::new(Full::<bytes::Bytes>::from("hello")))
/// });
/// let socket = Socket::bind(&"127.0.0.1:0".parse()?).await?;
/// let listener = Listener::new(socket, hello).limits(HttpLimits::default().small(8));
/// listener.serve(async {}).await?;
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[must_use = "a listener serves when it is added to a server, or with `serve`"]
pub struct Listener {
    socket: Socket,
    tls: Option<Arc<dyn TlsAcceptor>>,
    limits: HttpLimits,
    lasts_until_exit: bool,
    handler: ServiceHandler,
}

/// The body of a response from any service.
type AnyBody = UnsyncBoxBody<Bytes, BoxError>;

/// Any service, as a function.
type AnyService = Arc<dyn Fn(Request<RequestBody>) -> AnyFuture + Send + Sync>;

type AnyFuture = Pin<Box<dyn Future<Output = Response<AnyBody>> + Send>>;

fn any_service<S, B>(service: S) -> AnyService
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>,
    S: Clone + Send + Sync + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    Arc::new(move |request| {
        let mut service = service.clone();
        Box::pin(async move {
            let response = async {
                poll_fn(|context| service.poll_ready(context)).await?;
                service.call(request).await
            };
            response.await.map_or_else(|never| match never {}, any_body)
        })
    })
}

fn any_body<B>(response: Response<B>) -> Response<AnyBody>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

impl Listener {
    /// Creates a listener in plain HTTP, with 64 connections, and a quarter of them for each address.
    pub fn new<S, B>(socket: Socket, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let handler = ServiceHandler { service: any_service(service), peer: Peer::Unix, log: None };
        let limits = HttpLimits::default().small(CONNECTIONS);
        Self { socket, tls: None, limits, lasts_until_exit: false, handler }
    }

    /// Serves HTTP/1.1 and HTTP/2 over TLS. Without this setting, the listener accepts both protocols in clear text.
    pub fn tls(self, acceptor: impl TlsAcceptor) -> Self {
        Self { tls: Some(Arc::new(acceptor)), ..self }
    }

    /// Sets the limits. A server lowers the number of connections if the open-file limit of the process is too low.
    /// [`HttpLimits::requests`] and [`HttpLimits::token_requests`] have no effect.
    pub fn limits(self, limits: HttpLimits) -> Self {
        Self { limits, ..self }
    }

    /// Gives each request an id (`X-Request-Id`), a line in the log, and a place in the metrics, as the server does for
    /// the API. The line has what the service knows about the request, if its response has a [`RequestLog`] as an
    /// extension.
    pub fn logged(mut self, host: &Host) -> Self {
        self.handler.log = Some(host.middleware.clone());
        self
    }

    /// Keeps serving during a shutdown, until the process exits, for example so that monitoring can observe the
    /// shutdown. By default, a shutdown closes the connections of the listener and waits for their requests.
    pub fn until_exit(self) -> Self {
        Self { lasts_until_exit: true, ..self }
    }

    /// Serves without a server, until `stop` completes. Open connections end when their request has been answered,
    /// unless the runtime shuts down before.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener cannot start.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let metrics = ConnectionMetrics::unregistered().map_err(io::Error::other)?;
        let (phase, shutdown) = Shutdown::new();
        let (acceptor, handler) = self.acceptor(metrics);
        let stopping = async {
            stop.await;
            phase.send_replace(ShutdownPhase::Stopping);
        };
        tokio::join!(acceptor.accept(handler, shutdown), stopping);
        Ok(())
    }

    /// Starts a task that serves until the server stops. Returns the task, which returns the connections that are still
    /// open, unless the listener lasts until the process exits.
    pub(crate) fn start(
        mut self,
        metrics: &Metrics,
        shutdown: Shutdown,
        connections: Option<usize>,
    ) -> Option<JoinHandle<OpenConnections>> {
        if let Some(most) = connections.filter(|most| *most < self.limits.connections) {
            self.limits = self.limits.small(most);
        }
        let lasts_until_exit = self.lasts_until_exit;
        let (acceptor, handler) = self.acceptor(metrics.further_connections());
        if lasts_until_exit {
            tokio::spawn(async {
                let (_phase, shutdown) = Shutdown::new();
                acceptor.accept(handler, shutdown).await;
            });
            return None;
        }
        Some(tokio::spawn(acceptor.accept(handler, shutdown)))
    }

    fn acceptor(self, metrics: ConnectionMetrics) -> (Acceptor, ServiceHandler) {
        let Self { socket, tls, limits, handler, .. } = self;
        (Acceptor::new(socket, tls, Arc::new(limits), metrics, Replaceable::Idle), handler)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("socket", &self.socket).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Handles requests with any service.
#[derive(Clone)]
struct ServiceHandler {
    service: AnyService,
    peer: Peer,
    /// The server that logs and measures each request.
    log: Option<Middleware>,
}

impl Handler for ServiceHandler {
    type ResponseBody = AnyBody;

    fn for_peer(&self, peer: IpAddr) -> Self {
        Self { peer: Peer::Address(peer), ..self.clone() }
    }

    async fn handle(
        self,
        mut request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<AnyBody> {
        request.extensions_mut().insert(self.peer);
        let logged = self.log.as_ref().map(|log| {
            let id = request_id(request.headers());
            request.headers_mut().insert(X_REQUEST_ID, id.clone());
            (log.with_peer(self.peer.address()), LoggedRequest::new(&request, id.clone()), id)
        });
        let mut response = match runnable {
            Ok(()) => (self.service)(request).await,
            Err(error) => {
                let (mut response, log) = refusal(error);
                response.extensions_mut().insert(log);
                any_body(response)
            }
        };
        if let Some((middleware, logged, id)) = logged {
            let about = response.extensions_mut().remove::<RequestLog>().unwrap_or_default();
            middleware.record(&logged, response.status(), &about, received.elapsed());
            response.headers_mut().insert(X_REQUEST_ID, id);
        }
        response
    }
}
