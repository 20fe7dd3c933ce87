//! The transport over the network, on reqwest.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use leadapi_core::BoxError;
use reqwest::{redirect, retry};
use tokio::runtime::Handle;

use super::{BodyTooLarge, SendProgress, Transport, TransportError, reason::reason, whole};
use crate::{config_error::ConfigError, timer::tokio_has_timers};

const NO_TIMERS: &str = "the tokio runtime has no timers; build it with enable_all() or enable_time()";

/// HTTP/1.1 over TCP and TLS, and HTTP/2 with the feature `http2`, with a pool of connections; it needs a tokio runtime around its calls,
/// with io and time enabled.
///
/// Redirects are not followed, because the token would go along; proxies are taken from the environment
/// (`HTTP_PROXY` and the like), and over plain HTTP a proxy can read the token.
///
/// ```
/// use leadapi_client::transport::Reqwest;
///
/// let transport = Reqwest::new()?;
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reqwest(reqwest::Client);

impl Reqwest {
    /// So long may it take to connect.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
    /// So long a connection is kept that nobody uses: less than the 75 s after which a server closes it, so that a request
    /// rarely meets one that is closing.
    const IDLE: Duration = Duration::from_secs(60);

    /// A transport with the settings of the client's own builder.
    ///
    /// ```
    /// use leadapi_client::{Client, transport::Reqwest};
    ///
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(Reqwest::new()?)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::Transport`]: the system's TLS could not be set up; the source says why.
    pub fn new() -> Result<Self, ConfigError> {
        let builder = reqwest::Client::builder();
        Self::from_builder(builder.connect_timeout(Self::CONNECT_TIMEOUT).pool_idle_timeout(Self::IDLE))
    }

    /// A transport with one's own settings of reqwest: proxies, root certificates, a local address.
    ///
    /// Redirects and reqwest's own repetitions are turned off whatever the builder says, because the token must not
    /// follow and what may be repeated is the client's to say.
    ///
    /// ```
    /// use leadapi_client::{Client, transport::Reqwest};
    ///
    /// let builder = reqwest::Client::builder().no_proxy();
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(Reqwest::from_builder(builder)?)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::Transport`], whose source is what reqwest says against the settings.
    pub fn from_builder(builder: reqwest::ClientBuilder) -> Result<Self, ConfigError> {
        let builder = builder.redirect(redirect::Policy::none()).referer(false).retry(retry::never());
        builder.build().map(Self).map_err(|error| ConfigError::Transport(error.into()))
    }
}

#[async_trait]
impl Transport for Reqwest {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        // Without a runtime or its timers, reqwest would panic.
        Handle::try_current().map_err(|error| TransportError::not_sent(error).for_good())?;
        if !tokio_has_timers() {
            return Err(TransportError::not_sent(NO_TIMERS).for_good());
        }
        let progress = SendProgress::of(&request);
        progress.mark_not_sent();
        let request = request.map(|body| reqwest::Body::wrap(ReportedBody { body: body.into(), progress }));
        let request = reqwest::Request::try_from(request).map_err(|error| told(error.into()))?;
        let response = self.0.execute(request).await.map_err(|error| told(error.into()))?;
        whole(Response::<reqwest::Body>::from(response)).await.map_err(told)
    }
}

/// What reqwest says, told in our terms; whatever it is not sure of may have been sent.
fn told(error: BoxError) -> TransportError {
    let error = match error.downcast::<reqwest::Error>() {
        // The client says what was asked for, and ids in URLs are not for every log.
        Ok(error) => error.without_url(),
        Err(other) => {
            let what = other.is::<BodyTooLarge>().then_some("the response was not read");
            return TransportError::maybe_sent(other).because(what);
        }
    };
    let what = reason(&error);
    let (connect, timeout, builder) = (error.is_connect(), error.is_timeout(), error.is_builder());
    let not_sent = connect || builder;
    let mut told = if not_sent { TransportError::not_sent(error) } else { TransportError::maybe_sent(error) };
    if connect {
        told = told.while_connecting();
    }
    if timeout {
        told = told.timed_out();
    }
    if builder {
        told = told.for_good();
    }
    told.because(what)
}

/// The body of a request, which hyper first looks at when it is about to write the request's head.
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
