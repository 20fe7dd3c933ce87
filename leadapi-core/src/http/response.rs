//! Responses (contract D2): the body, the headers and the error object.

use std::{
    convert::Infallible,
    mem,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
};
use http_body::{Body, Frame, SizeHint};
use serde::Serialize;

/// The usual number of headers in a response, including the headers that a host adds.
const USUAL_HEADERS: usize = 6;

/// A response body, which is a complete JSON document or empty.
///
/// ```
/// use leadapi_core::http::ResponseBody;
///
/// let body = ResponseBody::from("{}");
/// assert_eq!(body.into_bytes(), "{}");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseBody(Bytes);

impl ResponseBody {
    /// Returns the whole body. The body is already complete, so no polling is needed.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl<B: Into<Bytes>> From<B> for ResponseBody {
    fn from(bytes: B) -> Self {
        Self(bytes.into())
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = mem::take(&mut self.0);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// Returns a JSON response with the headers that every response from the service has (contract D2). A 204 has no
/// `Content-Type`.
///
/// ```
/// use http::StatusCode;
/// use leadapi_core::http::json_response;
///
/// let response = json_response(StatusCode::OK, "{}");
/// assert_eq!(response.headers()["cache-control"], "no-store");
/// assert_eq!(json_response(StatusCode::NO_CONTENT, "").headers().get("content-type"), None);
/// ```
pub fn json_response(status: StatusCode, json: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody(json.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    // Reserves space for headers that a host adds, so that the map does not reallocate.
    headers.reserve(USUAL_HEADERS);
    if status != StatusCode::NO_CONTENT {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns a response with the error object `{"error": message}` (contract 2.4 and D2).
///
/// Use this function in a host that rejects requests before they reach the service, so that callers see only one error
/// format.
///
/// ```
/// use http::StatusCode;
/// use leadapi_core::http::error_response;
///
/// let response = error_response(StatusCode::BAD_REQUEST, "host must be api.example.com");
/// assert_eq!(response.headers()["content-type"], "application/json");
/// assert_eq!(response.into_body().into_bytes(), r#"{"error":"host must be api.example.com"}"#);
/// ```
pub fn error_response(status: StatusCode, message: &str) -> Response<ResponseBody> {
    #[derive(Serialize)]
    struct ErrorObject<'a> {
        error: &'a str,
    }

    // Serializing a string as JSON cannot fail.
    json_response(status, serde_json::to_string(&ErrorObject { error: message }).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use http_body_util::BodyExt;

    use super::*;

    #[test]
    fn a_body_has_at_most_one_frame_and_an_exact_size_hint() {
        for (text, frames) in [("{}", 1), ("", 0)] {
            let mut body = ResponseBody::from(text);
            assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(text.len() as u64), text.is_empty()));
            let mut found = 0;
            while let Some(frame) = block_on(body.frame()) {
                assert_eq!(frame.unwrap().into_data().unwrap(), text);
                found += 1;
            }
            assert_eq!((found, body.is_end_stream()), (frames, true));
        }
    }
}
