//! How a request becomes an answer: over the network, in process, or as a caller likes it.

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
use leadapi_core::BoxError;

#[cfg(feature = "reqwest")]
pub use self::reqwest::Reqwest;
pub use in_process::InProcess;
pub use layered::{Layered, TransportService};
pub use progress::SendProgress;

/// The most bytes of an answer's body that our transports read: many times a page of 200 leads, so that a server gone
/// wrong cannot fill the memory.
pub const MAX_RESPONSE_BYTES: usize = 16 * 1_024 * 1_024;

/// Takes a request to the service and brings back its answer.
///
/// [`Client`](crate::Client) calls it once for each attempt. Whoever wants other sockets, a record of the
/// traffic or faults on purpose implements it, often around another transport:
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
/// - The request's URI is whole: scheme, host, path and query. Its `Authorization` header holds the token and is marked
///   as sensitive: a transport sends it to that URI's origin and nowhere else, along no redirect, and shows it to nobody,
///   in its errors neither.
/// - It is sent at most once: whether to send it again is not for a transport to say.
/// - The body of the answer is whole and bounded.
/// - It need not give up by itself: the client does, by dropping the future.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends a request, and waits for the whole of its answer, whatever its status.
    ///
    /// # Errors
    ///
    /// There is no answer; [`TransportError::delivery`] says whether the service may have been reached none the less. In
    /// doubt it may have been.
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

/// How far a request got that has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// Nothing of it has left: the service cannot have acted on it.
    NotSent,
    /// Some of it may have left: the service may have acted on it.
    MaybeSent,
}

/// Why there is no answer.
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
    /// What happened, where our own transport knows it.
    what: Option<&'static str>,
    source: BoxError,
}

impl TransportError {
    /// Nothing of the request has left.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert_eq!(TransportError::not_sent("the pool is closed").delivery(), Delivery::NotSent);
    /// ```
    #[must_use]
    pub fn not_sent(source: impl Into<BoxError>) -> Self {
        Self {
            delivery: Delivery::NotSent,
            connect: false,
            timeout: false,
            permanent: false,
            what: None,
            source: source.into(),
        }
    }

    /// Some of the request may have left.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert_eq!(TransportError::maybe_sent("connection reset").delivery(), Delivery::MaybeSent);
    /// ```
    #[must_use]
    pub fn maybe_sent(source: impl Into<BoxError>) -> Self {
        Self {
            delivery: Delivery::MaybeSent,
            connect: false,
            timeout: false,
            permanent: false,
            what: None,
            source: source.into(),
        }
    }

    /// It happened before there was a connection.
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

    /// It took too long.
    ///
    /// ```
    /// # use leadapi_client::transport::TransportError;
    /// let error = TransportError::maybe_sent("10 s are over").timed_out();
    /// assert!(error.is_timeout());
    /// assert_eq!(error.to_string(), "timed out");
    /// ```
    #[must_use]
    pub fn timed_out(mut self) -> Self {
        self.timeout = true;
        self
    }

    /// Marks the error as permanent: a retry would fail in the same way.
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

    /// Says what happened, in place of the words that fit any error.
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

    /// How far the request got.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// let error = TransportError::maybe_sent("connection reset");
    /// assert_eq!(error.delivery(), Delivery::MaybeSent);
    /// ```
    pub const fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Whether there was no connection.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert!(TransportError::not_sent("no route to host").while_connecting().is_connect());
    /// ```
    pub const fn is_connect(&self) -> bool {
        self.connect
    }

    /// Whether it took too long.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, TransportError};
    /// assert!(TransportError::maybe_sent("10 s are over").timed_out().is_timeout());
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
        // The reason follows, because a caller asks for it at once; the address is the caller's own.
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

/// The response has a longer body than the client reads.
#[derive(Debug, thiserror::Error)]
#[error("the response body is larger than {MAX_RESPONSE_BYTES} bytes")]
struct BodyTooLarge;

/// Reads a body to its end, unless it is too large.
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
