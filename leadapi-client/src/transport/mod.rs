//! Transports: over the network, in process, or custom.

mod in_process;
#[cfg(feature = "reqwest")]
mod io_runtime;
mod layered;
mod progress;
#[cfg(feature = "reqwest")]
mod reason;
#[cfg(feature = "reqwest")]
mod reqwest;

use std::{error::Error, fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use leadapi_model::BoxError;

#[cfg(feature = "reqwest")]
pub use self::reqwest::Reqwest;
pub use in_process::InProcess;
pub use layered::{Layered, TransportService};
pub use progress::SendProgress;

/// The maximum size of a response body in this crate's transports. The limit is many times the size of a page of 200
/// leads. It keeps a misbehaving server from exhausting the client's memory.
pub const MAX_RESPONSE_BYTES: usize = 16 * 1_024 * 1_024;

/// Sends requests and returns their responses.
///
/// [`Client`](crate::Client) calls the transport once for each attempt. Implement this trait to use a different network
/// stack, record traffic or inject faults, often by wrapping another transport:
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use leadapi_client::transport::{Transport, TransportError};
///
/// struct Counted<T> {
///     inner: T,
///     sent: Arc<AtomicU64>,
/// }
///
/// #[async_trait::async_trait]
/// impl<T: Transport> Transport for Counted<T> {
///     async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
///         self.sent.fetch_add(1, Ordering::Relaxed);
///         self.inner.send(request).await
///     }
/// }
/// ```
///
/// - The URI of the request is absolute: scheme, host, path and query. The `Authorization` header contains the token
///   and is marked as sensitive. A transport must send the token only to the origin of that URI. It must not send the
///   token to a redirect target, or reveal the token in any output, including errors.
/// - A transport must send each request at most once, because the client handles retries itself.
/// - The body of the response must be complete and bounded in size.
/// - A transport needs no timeout of its own: the client drops the future when an attempt times out.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends a request and returns the complete response, whatever its status.
    ///
    /// # Errors
    ///
    /// Fails if no complete response is received. [`TransportError::delivery`] states whether the request may have
    /// reached the service. If that is unknown, use [`TransportError::maybe_sent`].
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError>;
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: Transport + ?Sized> Transport for $pointer<T> {
            async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
                (**self).send(request).await
            }
        }
    )*};
}

by_pointer! { Arc Box }

/// The delivery state of a request: whether it may have been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// No byte of the request was sent, so the service cannot have acted on it.
    NotSent,
    /// Some bytes of the request may have been sent, so the service may have acted on it.
    MaybeSent,
}

/// The error for a request that received no complete response.
///
/// ```
/// use leadapi_client::transport::{Delivery, TransportError};
///
/// let error = TransportError::not_sent("no route to host").while_connecting();
/// assert_eq!(error.delivery(), Delivery::NotSent);
/// assert_eq!(error.to_string(), "could not connect: no route to host");
/// ```
#[derive(Debug)]
pub struct TransportError {
    delivery: Delivery,
    connect: bool,
    timeout: bool,
    permanent: bool,
    /// A description of the failure, if one of this crate's transports knows the cause.
    what: Option<&'static str>,
    source: BoxError,
}

impl TransportError {
    /// Creates an error for a request that failed before any byte was sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert_eq!(TransportError::not_sent("the pool is closed").delivery(), Delivery::NotSent);
    /// ```
    #[must_use]
    pub fn not_sent(source: impl Into<BoxError>) -> Self {
        Self::new(Delivery::NotSent, source.into())
    }

    /// Creates an error for a request that failed after some bytes may have been sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert_eq!(TransportError::maybe_sent("connection reset").delivery(), Delivery::MaybeSent);
    /// ```
    #[must_use]
    pub fn maybe_sent(source: impl Into<BoxError>) -> Self {
        Self::new(Delivery::MaybeSent, source.into())
    }

    const fn new(delivery: Delivery, source: BoxError) -> Self {
        Self { delivery, connect: false, timeout: false, permanent: false, what: None, source }
    }

    /// Marks the error as a failure to connect.
    ///
    /// ```
    /// # use leadapi_client::transport::TransportError;
    /// assert!(TransportError::not_sent("no such host").while_connecting().is_connect());
    /// ```
    #[must_use]
    pub fn while_connecting(mut self) -> Self {
        self.connect = true;
        self
    }

    /// Marks the error as a timeout.
    ///
    /// ```
    /// # use leadapi_client::transport::TransportError;
    /// let error = TransportError::maybe_sent("no response within 10 s").timed_out();
    /// assert!(error.is_timeout());
    /// assert_eq!(error.to_string(), "timed out");
    /// ```
    #[must_use]
    pub fn timed_out(mut self) -> Self {
        self.timeout = true;
        self
    }

    /// Marks the error as permanent, which means that a retry would fail in the same way.
    ///
    /// ```
    /// # use leadapi_client::transport::TransportError;
    /// assert!(TransportError::not_sent("no TLS in this build").permanent().is_permanent());
    /// ```
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.permanent = true;
        self
    }

    /// Sets a description that replaces the generic text.
    #[cfg(feature = "reqwest")]
    pub(crate) const fn because(mut self, what: Option<&'static str>) -> Self {
        self.what = what;
        self
    }

    /// Returns whether a retry would fail in the same way.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert!(!TransportError::maybe_sent("connection reset").is_permanent());
    /// ```
    pub const fn is_permanent(&self) -> bool {
        self.permanent
    }

    /// Returns whether the request may have been sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert_eq!(TransportError::maybe_sent("connection reset").delivery(), Delivery::MaybeSent);
    /// ```
    pub const fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Returns whether connecting failed.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert!(TransportError::not_sent("no route to host").while_connecting().is_connect());
    /// ```
    pub const fn is_connect(&self) -> bool {
        self.connect
    }

    /// Returns whether the request timed out.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert!(TransportError::maybe_sent("no response within 10 s").timed_out().is_timeout());
    /// ```
    pub const fn is_timeout(&self) -> bool {
        self.timeout
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.connect, self.timeout, self.delivery) {
            (true, true, _) => return f.write_str("connecting timed out"),
            (false, true, _) => return f.write_str("timed out"),
            (true, false, _) => "could not connect",
            (false, false, Delivery::NotSent) => "could not be sent",
            (false, false, Delivery::MaybeSent) => "no complete response",
        };
        // Show only the innermost source, because it names the actual cause. Outer sources name the address, which
        // callers already know.
        let mut reason: &dyn Error = &*self.source;
        while let Some(source) = reason.source() {
            reason = source;
        }
        write!(f, "{}: {reason}", self.what.unwrap_or(what))
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// The error for a response body larger than [`MAX_RESPONSE_BYTES`].
#[derive(Debug, thiserror::Error)]
#[error("the response body is larger than {MAX_RESPONSE_BYTES} bytes")]
struct BodyTooLarge;

/// Reads a body to its end, or fails if it is too large.
async fn whole<B>(response: Response<B>) -> Result<Response<Bytes>, BoxError>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await.map_err(|error| -> BoxError {
        if error.is::<LengthLimitError>() { BodyTooLarge.into() } else { error }
    })?;
    Ok(Response::from_parts(head, body.to_bytes()))
}
