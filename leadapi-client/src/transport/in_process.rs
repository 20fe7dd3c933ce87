//! A transport to a service in the same process, without a socket or a runtime.

use std::{fmt, future::poll_fn};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_model::BoxError;
use tower_service::Service;

use super::{Transport, TransportError, whole};

/// A transport that calls any [`tower_service::Service`], such as the `LeadService` of `leadapi-core` or an axum
/// router.
///
/// The transport has no timeout. It needs a runtime only if the service needs one. The service receives requests with
/// an absolute URI, as it does from an HTTP/2 server.
///
/// ```
/// use std::convert::Infallible;
/// use bytes::Bytes;
/// use http::{Request, Response, StatusCode};
/// use http_body_util::Full;
/// use leadapi_client::transport::{InProcess, Transport};
/// # #[derive(Clone)]
/// # struct Teapot;
/// # impl tower_service::Service<Request<Full<Bytes>>> for Teapot {
/// #     type Response = Response<Full<Bytes>>;
/// #     type Error = Infallible;
/// #     type Future = std::future::Ready<Result<Self::Response, Infallible>>;
/// #     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Infallible>> {
/// #         std::task::Poll::Ready(Ok(()))
/// #     }
/// #     fn call(&mut self, _: Request<Full<Bytes>>) -> Self::Future {
/// #         let response = Response::builder().status(StatusCode::IM_A_TEAPOT).body(Full::default());
/// #         std::future::ready(Ok(response.unwrap()))
/// #     }
/// # }
///
/// # futures_executor::block_on(async {
/// let response = InProcess::new(Teapot).send(Request::new(Bytes::new())).await?;
/// assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
/// # Ok::<(), leadapi_client::transport::TransportError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct InProcess<S>(S);

impl<S> InProcess<S> {
    /// Creates a transport to a service. Each request goes to a clone of the service.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    /// let transport = leadapi_client::transport::InProcess::new(service);
    /// ```
    pub const fn new(service: S) -> Self {
        Self(service)
    }
}

#[async_trait]
impl<S, B> Transport for InProcess<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let mut service = self.0.clone();
        poll_fn(|cx| service.poll_ready(cx)).await.map_err(TransportError::not_sent)?;
        let response = service.call(request.map(Full::new)).await.map_err(TransportError::maybe_sent)?;
        whole(response).await.map_err(TransportError::maybe_sent)
    }
}

impl<S> fmt::Debug for InProcess<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}
