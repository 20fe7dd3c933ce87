//! The transport over the network, on reqwest.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use leadapi_core::BoxError;
use reqwest::{redirect, retry};
use tokio::runtime::Handle;

use super::{Transport, TransportError, whole};

/// HTTP/1.1 and HTTP/2 over TCP and TLS, with a pool of connections; it needs a tokio runtime around its calls,
/// with io and time enabled.
///
/// Redirects are not followed, because the token would go along; proxies are taken from the environment
/// (`HTTP_PROXY` and the like), and over plain HTTP a proxy can read the token.
///
/// ```
/// use std::time::Duration;
/// use leadapi_client::transport::Reqwest;
///
/// let transport = Reqwest::new(Duration::from_secs(3), Duration::from_secs(10))?;
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reqwest(reqwest::Client);

impl Reqwest {
    /// So long may it take to connect.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
    /// So long may a request take from its beginning to the last byte of its answer.
    pub const TIMEOUT: Duration = Duration::from_secs(10);

    /// A transport that waits so long for a connection, and so long for a whole answer, connection included.
    ///
    /// # Errors
    ///
    /// The system's TLS could not be set up; nothing can be done but to mend the system.
    pub fn new(connect_timeout: Duration, timeout: Duration) -> Result<Self, BoxError> {
        let builder = reqwest::Client::builder()
            .connect_timeout(connect_timeout)
            .timeout(timeout)
            .redirect(redirect::Policy::none())
            .referer(false)
            // Whether a request may be sent again is known above, where its operation is.
            .retry(retry::never());
        Ok(Self(builder.build()?))
    }
}

#[async_trait]
impl Transport for Reqwest {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        // Without a runtime, it is reqwest that would panic.
        Handle::try_current().map_err(TransportError::not_sent)?;
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
        Err(other) => return TransportError::maybe_sent(other),
    };
    let (connect, timeout) = (error.is_connect(), error.is_timeout());
    let not_sent = connect || error.is_builder();
    let mut told = if not_sent { TransportError::not_sent(error) } else { TransportError::maybe_sent(error) };
    if connect {
        told = told.while_connecting();
    }
    if timeout {
        told = told.timed_out();
    }
    told
}
