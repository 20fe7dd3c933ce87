//! What stands around the service on every request: its id, and its line in the log.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body;
use leadapi_core::{
    BoxError,
    http::{LeadService, RequestLog, header::X_REQUEST_ID},
};
use tower::{Service, ServiceBuilder};
use tower_http::{
    ServiceBuilderExt,
    request_id::{MakeRequestId, RequestId},
    trace::TraceLayer,
};
use tracing::{Span, error, error_span, info};
use uuid::Uuid;

/// The longest request id that is taken from a caller (contract D2).
const MAX_ID_CHARS: usize = 128;

/// The service as the server serves it: with request ids and one line of log for each request.
pub fn stack<B>(
    service: LeadService,
) -> impl Service<
    Request<B>,
    Response = Response<impl Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static>,
    Error = Infallible,
    Future: Send,
> + Clone
+ Send
+ Sync
+ 'static
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    ServiceBuilder::new()
        .map_request(without_bad_id)
        .set_x_request_id(Uuids)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(log::<_>)
                .on_body_chunk(())
                .on_eos(())
                .on_failure(()),
        )
        .propagate_x_request_id()
        .service(service)
}

#[derive(Clone, Copy)]
struct Uuids;

impl MakeRequestId for Uuids {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        HeaderValue::try_from(Uuid::now_v7().to_string()).ok().map(RequestId::new)
    }
}

/// A caller's id goes into logs and back to the caller, so only a harmless one is kept (contract D2).
fn without_bad_id<B>(mut request: Request<B>) -> Request<B> {
    if !has_good_id(request.headers()) {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

fn has_good_id(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(X_REQUEST_ID).iter();
    let good = |value: &HeaderValue| {
        (1..=MAX_ID_CHARS).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    values.next().is_some_and(good) && values.next().is_none()
}

/// Of the level of errors, so that the cause of a 500 is never without its request id.
fn span<B>(request: &Request<B>) -> Span {
    let id = request.headers().get(X_REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    error_span!("request", id, method = %request.method(), path = shown(request.uri().path()))
}

/// The path as it may be logged; the query may not, its values may be personal. It is cut, because anybody can send
/// one, and a token that was put into it by mistake is not shown.
fn shown(path: &str) -> &str {
    const MAX_CHARS: usize = 128;
    let cut = path.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let end = [path.find("pak_"), cut].into_iter().flatten().min();
    path.get(..end.unwrap_or(path.len())).unwrap_or_default()
}

fn log<B>(response: &Response<B>, took: Duration, _: &Span) {
    let (status, took) = (response.status().as_u16(), format_args!("{took:?}").to_string());
    let log = response.extensions().get::<RequestLog>().cloned().unwrap_or_default();
    let operation = log.operation.map_or("-", leadapi_core::http::Operation::name);
    let business = log.business.map(tracing::field::display);
    let token = log.token.map(tracing::field::display);
    match log.cause {
        None => info!(status, took, operation, business, token, "answered"),
        Some(cause) => error!(status, took, operation, business, token, cause = %chain(&*cause), "failed"),
    }
}

/// An error with all its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
