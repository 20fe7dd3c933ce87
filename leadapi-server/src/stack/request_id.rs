//! The id of a request: the caller's own if it is harmless, else a new one (contract D2).

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::Full;
use leadapi_core::{
    BoxError,
    http::{LeadService, header::X_REQUEST_ID},
};
use tower::{Service, ServiceBuilder};
use tower_http::{
    ServiceBuilderExt,
    request_id::{MakeRequestId, RequestId},
};
use uuid::Uuid;

/// The longest request id that is taken from a caller.
const MAX_CHARS: usize = 128;

/// The service with an `X-Request-Id` on every answer (contract D2), for a host that mounts it in a stack of its own and
/// has no request ids yet.
///
/// ```
/// use http::Request;
/// use http_body_util::Empty;
/// use leadapi_core::{http::LeadService, memory::*, tokens::StoredTokens};
/// use tower::ServiceExt;
///
/// # futures_executor::block_on(async {
/// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
/// let service = leadapi_server::with_request_ids(LeadService::builder(MemoryStore::default(), verifier).build()?);
/// let request = Request::get("/leads").header("x-request-id", "mine").body(Empty::<bytes::Bytes>::new())?;
/// assert_eq!(service.oneshot(request).await?.headers()["x-request-id"], "mine");
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
pub fn with_request_ids<B>(
    service: LeadService,
) -> impl Service<Request<B>, Response = Response<Full<Bytes>>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ Sync
+ 'static
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    ServiceBuilder::new().map_request(without_bad_id).set_x_request_id(Uuids).propagate_x_request_id().service(service)
}

#[derive(Clone, Copy)]
pub(super) struct Uuids;

impl MakeRequestId for Uuids {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        HeaderValue::try_from(Uuid::now_v7().to_string()).ok().map(RequestId::new)
    }
}

/// A caller's id goes into logs and back to the caller, so only a harmless one is kept (contract D2).
pub(super) fn without_bad_id<B>(mut request: Request<B>) -> Request<B> {
    if !has_good_id(request.headers()) {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

fn has_good_id(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(X_REQUEST_ID).iter();
    let good = |value: &HeaderValue| {
        (1..=MAX_CHARS).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    values.next().is_some_and(good) && values.next().is_none()
}
