//! The id of a request: the caller's own if it is harmless, else a new one (contract D2).

use http::{HeaderMap, HeaderValue, Request};
use leadapi_core::http::header::X_REQUEST_ID;
use tower_http::request_id::{MakeRequestId, RequestId};
use uuid::Uuid;

/// The longest request id that is taken from a caller.
const MAX_CHARS: usize = 128;

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
