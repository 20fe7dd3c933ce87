//! The error responses of the server itself, in the form of the contract (D2).

use std::{error::Error, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS},
};
use http_body_util::Full;
use leadapi_core::http::RequestLog;
use serde_json::json;

use super::Answered;

/// Returns a 400 whose message names the fault and the rule.
pub(super) fn bad_request(message: &str) -> Answered {
    (refusal(StatusCode::BAD_REQUEST, message), RequestLog::default())
}

/// Returns a 500 whose cause goes only to the log, optionally with the seconds after which to retry.
pub(super) fn internal_error(cause: impl Error + Send + Sync + 'static, retry_after: Option<u64>) -> Answered {
    let mut response = refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    let mut log = RequestLog::default();
    log.cause = Some(Arc::new(cause));
    (response, log)
}

fn refusal(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(json!({"error": message}).to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
