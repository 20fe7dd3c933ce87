//! The network transport, based on reqwest.

use std::{
    convert::Infallible,
    env, io,
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use leadapi_model::BoxError;
use reqwest::{redirect, retry};

use super::{BodyTooLarge, SendProgress, Transport, TransportError, io_runtime, reason::reason, whole};
use crate::config_error::ConfigError;

/// The network transport, with a connection pool: HTTP/1.1 over TCP or TLS, and HTTP/2 over TLS with the `http2`
/// feature.
///
/// Its calls work on any executor, or without an executor. One thread drives the connections of all clients in the
/// process, so the connections outlive the caller's runtime. The thread starts at the first call. If the system cannot
/// start it, the call fails with the outcome [`NotSent`](crate::Outcome::NotSent).
///
/// A server that sends endless informational responses (1xx) occupies that thread for up to half a second at a time,
/// until the call to that server times out. Such a server delays the responses to other calls, but not their timeouts.
///
/// Redirects are not followed, so the token is never sent to a different origin. Proxies are taken from `HTTP_PROXY`
/// and similar environment variables. Over plain HTTP, a proxy can read the token. Requests to `localhost` and to
/// loopback addresses never use these proxies, because a proxy would connect to its own machine. To use a proxy anyway,
/// set it on the builder that you pass to [`from_builder`](Self::from_builder).
///
/// ```
/// use leadapi_client::transport::Reqwest;
///
/// let transport = Reqwest::new()?;
/// # Ok::<(), leadapi_model::BoxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reqwest {
    client: reqwest::Client,
    /// The client for loopback addresses, if an environment variable sets a proxy.
    direct: Option<reqwest::Client>,
}

/// The environment variables that set a proxy, in upper case.
const PROXY_VARIABLES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

impl Reqwest {
    /// The timeout for establishing a connection.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
    /// The time for which an idle connection stays in the pool. By default, the server closes idle connections after 75
    /// s. With this shorter time, a request is unlikely to use a connection that is closing.
    const IDLE: Duration = Duration::from_secs(60);

    /// Creates a transport with the default settings.
    ///
    /// ```
    /// use leadapi_client::{Client, transport::Reqwest};
    ///
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(Reqwest::new()?).build()?;
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Transport`] if TLS cannot be set up. Its source gives the reason.
    pub fn new() -> Result<Self, ConfigError> {
        let builder =
            || reqwest::Client::builder().connect_timeout(Self::CONNECT_TIMEOUT).pool_idle_timeout(Self::IDLE);
        let has_proxy = PROXY_VARIABLES
            .iter()
            .any(|name| env::var_os(name).is_some() || env::var_os(name.to_ascii_lowercase()).is_some());
        let direct = if has_proxy { Some(Self::from_builder(builder().no_proxy())?.client) } else { None };
        Ok(Self { direct, ..Self::from_builder(builder())? })
    }

    /// Creates a transport from a reqwest builder, for example to set proxies, root certificates or a local address.
    ///
    /// Redirects and reqwest's own retries are always disabled, because a redirect could send the token to a different
    /// server, and [`Client`](crate::Client) handles retries itself.
    ///
    /// ```
    /// use leadapi_client::{Client, transport::Reqwest};
    ///
    /// let builder = reqwest::Client::builder().no_proxy();
    /// let transport = Reqwest::from_builder(builder)?;
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(transport).build()?;
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Transport`] if reqwest rejects the settings. Its source gives the reason.
    pub fn from_builder(builder: reqwest::ClientBuilder) -> Result<Self, ConfigError> {
        let builder = builder.redirect(redirect::Policy::none()).referer(false).retry(retry::never());
        let client = builder.build().map_err(|error| ConfigError::Transport(error.into()))?;
        Ok(Self { client, direct: None })
    }

    fn client(&self, url: &reqwest::Url) -> &reqwest::Client {
        self.direct.as_ref().filter(|_| is_loopback(url)).unwrap_or(&self.client)
    }
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.is_ok_and(|address| address.to_canonical().is_loopback())
        || host == "localhost"
        || host.ends_with(".localhost")
}

#[async_trait]
impl Transport for Reqwest {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let runtime = io_runtime::handle().map_err(not_started)?;
        let progress = SendProgress::of(&request);
        progress.mark_not_sent();
        let request = request.map(|body| reqwest::Body::wrap(ReportedBody { body: body.into(), progress }));
        let request = reqwest::Request::try_from(request).map_err(|error| transport_error(error.into()))?;
        let call = async {
            let response = self.client(request.url()).execute(request).await?;
            whole(Response::<reqwest::Body>::from(response)).await
        };
        io_runtime::enter(&runtime, call).await.map_err(transport_error)
    }
}

fn not_started(error: io::Error) -> TransportError {
    TransportError::not_sent(error).because(Some("could not start the I/O thread"))
}

/// Converts a reqwest error. The request counts as possibly sent unless the error rules that out.
fn transport_error(error: BoxError) -> TransportError {
    let error = match error.downcast::<reqwest::Error>() {
        // Remove the URL. The client's error already names the operation, and the ids in URLs must not reach logs.
        Ok(error) => error.without_url(),
        Err(other) => {
            let what = other.is::<BodyTooLarge>().then_some("the response was not read");
            return TransportError::maybe_sent(other).because(what);
        }
    };
    let what = reason(&error);
    let (connect, timeout, builder) = (error.is_connect(), error.is_timeout(), error.is_builder());
    let not_sent = connect || builder;
    let mut error = if not_sent { TransportError::not_sent(error) } else { TransportError::maybe_sent(error) };
    if connect {
        error = error.while_connecting();
    }
    if timeout {
        error = error.timed_out();
    }
    if builder {
        error = error.permanent();
    }
    error.because(what)
}

/// A request body that marks the request as sent when hyper first inspects or polls it, just before hyper writes the
/// head.
struct ReportedBody {
    body: Full<Bytes>,
    progress: SendProgress,
}

impl Body for ReportedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.progress.mark_sent();
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.progress.mark_sent();
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        sync::{
            Arc,
            mpsc::{Sender, channel},
        },
        task::{Wake, Waker},
        thread,
    };

    use futures_executor::block_on;

    use super::*;

    #[test]
    fn the_names_and_addresses_of_this_host_are_loopback() {
        let is_loopback = |url: &str| is_loopback(&url.parse().unwrap());
        for near in
            ["localhost", "LOCALHOST:8080", "localhost.", "api.localhost", "127.0.0.1", "127.9.9.9:1", "[::1]:80"]
        {
            assert!(is_loopback(&format!("http://{near}/v1")), "{near}");
        }
        assert!(is_loopback("https://[::ffff:127.0.0.1]/v1"));
        for far in ["example.com", "localhost.example.com", "notlocalhost", "10.0.0.1", "128.0.0.1", "[::2]", "0.0.0.0"]
        {
            assert!(!is_loopback(&format!("http://{far}/v1")), "{far}");
        }
    }

    enum Event {
        CallWoken,
        RequestArrived,
    }

    /// Reports each wake-up of the call.
    struct Notify(Sender<Event>);

    impl Wake for Notify {
        fn wake(self: Arc<Self>) {
            self.0.send(Event::CallWoken).unwrap_or_default();
        }
    }

    /// Dropping a call after its response has arrived makes hyper spawn a task that returns the connection to the pool.
    #[test]
    fn a_call_can_be_dropped_outside_a_runtime_after_its_response_has_arrived() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (may_answer, answering) = channel::<()>();
        let (notify, events) = channel();
        let arrived = notify.clone();
        let server = thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            assert_ne!(socket.read(&mut [0; 4_096]).unwrap(), 0);
            arrived.send(Event::RequestArrived).unwrap();
            answering.recv().unwrap();
            socket.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
            socket
        });
        let transport = Reqwest::new().unwrap();
        let mut call = transport.send(Request::get(url).body(Bytes::new()).unwrap());
        let waker = Waker::from(Arc::new(Notify(notify)));
        let mut cx = Context::from_waker(&waker);
        let runtime = io_runtime::handle().unwrap();
        // Returns when the I/O thread is idle.
        let wait_until_idle = || block_on(runtime.spawn(async {})).unwrap();
        assert!(call.as_mut().poll(&mut cx).is_pending());
        // Sending the request does not wake the call, so wait until the server has received it.
        while let Event::CallWoken = events.recv().unwrap() {
            assert!(call.as_mut().poll(&mut cx).is_pending());
        }
        wait_until_idle();
        assert!(call.as_mut().poll(&mut cx).is_pending());
        events.try_iter().for_each(drop);
        may_answer.send(()).unwrap();
        assert!(matches!(events.recv().unwrap(), Event::CallWoken));
        wait_until_idle();
        drop(call);
        drop(transport);
        drop(server.join().unwrap());
    }
}
