//! The progress of a request while its transport is sending it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::Request;

use super::Delivery;

/// A handle that tells the client whether a request has been sent, even if its call is dropped or times out.
///
/// [`Client`](crate::Client) puts a handle into the extensions of each request. A transport that knows when it sends
/// the first byte should call [`mark_not_sent`](Self::mark_not_sent) at the start, and [`mark_sent`](Self::mark_sent)
/// just before that byte. A request that is dropped between these two calls does not count towards the rate limit. The
/// calls are optional: without them, the request counts as sent.
///
/// ```
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use leadapi_client::transport::{SendProgress, Transport, TransportError};
/// # async fn connect() {}
///
/// struct Dialer<T>(T);
///
/// #[async_trait::async_trait]
/// impl<T: Transport> Transport for Dialer<T> {
///     async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
///         let progress = SendProgress::of(&request);
///         progress.mark_not_sent();
///         connect().await;
///         progress.mark_sent();
///         self.0.send(request).await
///     }
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SendProgress {
    not_sent: Arc<AtomicBool>,
}

impl SendProgress {
    /// Returns the handle that the client put into the request, or a new handle that has no effect.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, SendProgress};
    /// let progress = SendProgress::of(&http::Request::new(()));
    /// assert_eq!(progress.delivery(), Delivery::MaybeSent);
    /// ```
    #[must_use]
    pub fn of<B>(request: &Request<B>) -> Self {
        request.extensions().get::<Self>().cloned().unwrap_or_default()
    }

    /// Records that no byte of the request has been sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, SendProgress};
    /// let progress = SendProgress::default();
    /// progress.mark_not_sent();
    /// assert_eq!(progress.delivery(), Delivery::NotSent);
    /// ```
    pub fn mark_not_sent(&self) {
        self.not_sent.store(true, Ordering::Relaxed);
    }

    /// Records that the request is being sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, SendProgress};
    /// let progress = SendProgress::default();
    /// progress.mark_not_sent();
    /// progress.mark_sent();
    /// assert_eq!(progress.delivery(), Delivery::MaybeSent);
    /// ```
    pub fn mark_sent(&self) {
        self.not_sent.store(false, Ordering::Relaxed);
    }

    /// Returns whether the request may have been sent.
    ///
    /// ```
    /// # use leadapi_client::transport::{Delivery, SendProgress};
    /// assert_eq!(SendProgress::default().delivery(), Delivery::MaybeSent);
    /// ```
    pub fn delivery(&self) -> Delivery {
        if self.not_sent.load(Ordering::Relaxed) { Delivery::NotSent } else { Delivery::MaybeSent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_progress_of_one_request() {
        let progress = SendProgress::default();
        let mut request = Request::new(());
        request.extensions_mut().insert(progress.clone());
        let in_transport = SendProgress::of(&request);
        assert_eq!(progress.delivery(), Delivery::MaybeSent);
        in_transport.mark_not_sent();
        assert_eq!((progress.delivery(), in_transport.delivery()), (Delivery::NotSent, Delivery::NotSent));
        in_transport.mark_sent();
        assert_eq!((progress.delivery(), in_transport.delivery()), (Delivery::MaybeSent, Delivery::MaybeSent));
    }
}
