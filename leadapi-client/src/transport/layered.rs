//! Tower middleware around a transport.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use leadapi_model::BoxError;
use tower_layer::Layer;
use tower_service::Service;

use super::{Transport, TransportError};

/// A transport wrapped in a tower layer, such as one that limits, measures or signs requests.
///
/// The layer runs once per attempt. If the layer itself fails, the request counts as possibly sent, unless the layer
/// failed in `poll_ready`.
///
/// ```
/// use bytes::Bytes;
/// use http::{HeaderValue, Request};
/// use leadapi_client::{Client, transport::{InProcess, Layered}};
/// use tower_layer::layer_fn;
/// # use leadapi_client::transport::TransportService;
/// # use tower_service::Service;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # #[derive(Clone)]
/// # struct Signed(TransportService);
/// # impl Service<Request<Bytes>> for Signed {
/// #     type Response = <TransportService as Service<Request<Bytes>>>::Response;
/// #     type Error = <TransportService as Service<Request<Bytes>>>::Error;
/// #     type Future = <TransportService as Service<Request<Bytes>>>::Future;
/// #     fn poll_ready(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
/// #         self.0.poll_ready(cx)
/// #     }
/// #     fn call(&mut self, mut request: Request<Bytes>) -> Self::Future {
/// #         request.headers_mut().insert("x-signature", HeaderValue::from_static("0123"));
/// #         self.0.call(request)
/// #     }
/// # }
/// # let (service, token) = support::service();
///
/// // `Signed` is tower middleware: a service that wraps another service.
/// let transport = Layered::new(InProcess::new(service), &layer_fn(Signed));
/// let client = Client::builder("http://in-process/v1", token).transport(transport).build()?;
/// # futures_executor::block_on(async { client.client_accounts().list(Default::default()).await }).unwrap();
/// # Ok::<(), leadapi_client::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Layered<S>(S);

impl<S> Layered<S> {
    /// Wraps a transport in a layer.
    ///
    /// ```
    /// use leadapi_client::transport::{InProcess, Layered};
    /// use tower_layer::Identity;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    ///
    /// let transport = Layered::new(InProcess::new(service), &Identity::new());
    /// ```
    pub fn new(transport: impl Transport, layer: &impl Layer<TransportService, Service = S>) -> Self {
        Self(layer.layer(TransportService(Arc::new(transport))))
    }
}

#[async_trait]
impl<S> Transport for Layered<S>
where
    S: Service<Request<Bytes>, Response = Response<Bytes>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
{
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let mut service = self.0.clone();
        poll_fn(|cx| service.poll_ready(cx)).await.map_err(|error| transport_error(error, TransportError::not_sent))?;
        service.call(request).await.map_err(|error| transport_error(error, TransportError::maybe_sent))
    }
}

/// Returns the transport's own error unchanged, and wraps any other error.
fn transport_error(error: impl Into<BoxError>, otherwise: fn(BoxError) -> TransportError) -> TransportError {
    error.into().downcast().map_or_else(otherwise, |error| *error)
}

impl<S> fmt::Debug for Layered<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layered").finish_non_exhaustive()
    }
}

/// A transport as a tower service, for a layer to wrap.
#[derive(Clone)]
pub struct TransportService(Arc<dyn Transport>);

impl Service<Request<Bytes>> for TransportService {
    type Response = Response<Bytes>;
    type Error = TransportError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Bytes>, TransportError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let transport = self.0.clone();
        Box::pin(async move { transport.send(request).await })
    }
}

impl fmt::Debug for TransportService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportService").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use tower_layer::layer_fn;

    use super::*;
    use crate::transport::Delivery;

    struct Unplugged;

    #[async_trait]
    impl Transport for Unplugged {
        async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
            Err(TransportError::not_sent("unplugged").while_connecting())
        }
    }

    /// Middleware that boxes errors, as tower's own middleware does, and that may itself fail.
    #[derive(Clone)]
    struct Boxing(TransportService, Result<(), &'static str>);

    impl Service<Request<Bytes>> for Boxing {
        type Response = Response<Bytes>;
        type Error = BoxError;
        type Future = Pin<Box<dyn Future<Output = Result<Response<Bytes>, BoxError>> + Send>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(self.1.map_err(Into::into))
        }

        fn call(&mut self, request: Request<Bytes>) -> Self::Future {
            let sending = self.0.call(request);
            Box::pin(async { Ok(sending.await?) })
        }
    }

    #[test]
    fn the_error_of_the_transport_passes_through_a_layer() {
        let layered = Layered::new(Unplugged, &layer_fn(|inner| Boxing(inner, Ok(()))));
        let error = block_on(layered.send(Request::default())).unwrap_err();
        assert!(error.is_connect() && error.delivery() == Delivery::NotSent);

        let closed = Layered::new(Unplugged, &layer_fn(|inner| Boxing(inner, Err("closed"))));
        let error = block_on(closed.send(Request::default())).unwrap_err();
        assert!(!error.is_connect() && error.delivery() == Delivery::NotSent);
    }
}
