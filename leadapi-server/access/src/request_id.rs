//! Request ids: the caller's own if it is safe to log, otherwise a generated one (contract D2).

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body;
use leadapi_core::{
    BoxError,
    http::{LeadService, ResponseBody, header::X_REQUEST_ID},
    text::find_token,
};
use tower_service::Service;
use uuid::Uuid;

/// The maximum length of a caller's request id.
const MAX_CHARS: usize = 128;

/// Wraps the service so that every response has an `X-Request-Id` (contract D2). Use it when you mount the service in
/// your own server and that server does not assign request ids.
///
/// ```
/// use http::Request;
/// use http_body_util::Empty;
/// use leadapi_core::{clock::SystemClock, http::LeadService, tokens::StoredTokens};
/// use leadapi_memory::{MemoryStore, MemoryTokens};
/// use tower::ServiceExt;
///
/// # futures_executor::block_on(async {
/// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
/// let service = leadapi_access::with_request_ids(LeadService::builder(MemoryStore::default(), verifier).build()?);
/// let request = Request::get("/leads").header("x-request-id", "mine").body(Empty::<bytes::Bytes>::new())?;
/// assert_eq!(service.oneshot(request).await?.headers()["x-request-id"], "mine");
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
pub fn with_request_ids<B>(
    service: LeadService,
) -> impl Service<Request<B>, Response = Response<ResponseBody>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ Sync
+ 'static
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    WithRequestIds(service)
}

#[derive(Clone)]
struct WithRequestIds(LeadService);

impl<B> Service<Request<B>> for WithRequestIds
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let id = request_id(request.headers());
        let response = self.0.call(request);
        Box::pin(async {
            let mut response = response.await?;
            response.headers_mut().insert(X_REQUEST_ID, id);
            Ok(response)
        })
    }
}

/// Returns the id of a request: the caller's id if it is valid, otherwise a new one.
///
/// The id is logged and returned to the caller, so a valid id has 1 to 128 visible ASCII characters and contains no
/// token.
pub fn request_id(headers: &HeaderMap) -> HeaderValue {
    let mut values = headers.get_all(X_REQUEST_ID).iter();
    match (values.next(), values.next()) {
        (Some(id), None) if is_valid(id) => id.clone(),
        _ => new(),
    }
}

fn is_valid(id: &HeaderValue) -> bool {
    (1..=MAX_CHARS).contains(&id.len())
        && id.as_bytes().iter().all(u8::is_ascii_graphic)
        && find_token(id.as_bytes()).is_none()
}

fn new() -> HeaderValue {
    let mut text = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut text);
    // A UUID is always a valid header value.
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("none"))
}
