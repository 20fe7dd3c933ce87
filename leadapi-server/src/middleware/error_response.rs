//! The error responses that the server itself sends, in the form of the contract (D2).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS},
};
use http_body_util::Full;
use leadapi_core::http::RequestLog;
use serde_json::json;

use crate::{in_flight::Overloaded, listen::UnreadResponses};

/// Why the service does not answer a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Rejection {
    #[error("{0}")]
    TooLarge(String),
    #[error("{0}")]
    Ambiguous(&'static str),
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    #[error(transparent)]
    UnreadResponses(#[from] UnreadResponses),
    #[error("there was no response within {0:?}")]
    Timeout(Duration),
}

/// Returns a 400 whose message names the fault, or a 500 whose cause goes only to the log.
pub(super) fn error_response(rejection: Rejection) -> (Response<Full<Bytes>>, RequestLog) {
    let (status, message) = match &rejection {
        Rejection::TooLarge(_) | Rejection::Ambiguous(_) => (StatusCode::BAD_REQUEST, rejection.to_string()),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal error".to_owned()),
    };
    let mut response = Response::new(Full::from(json!({"error": message}).to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Rejection::Ambiguous(_) = rejection {
        // The server must not parse the bytes that follow an ambiguous request.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let mut log = RequestLog::default();
    if status.is_server_error() {
        headers.insert(RETRY_AFTER, 1.into());
        log.cause = Some(Arc::new(rejection));
    }
    (response, log)
}
