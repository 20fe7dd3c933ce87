//! The server's own error responses, in the format that the contract defines (D2).

use std::{sync::Arc, time::Duration};

use ::http::{Response, StatusCode, header::RETRY_AFTER};
use leadapi_core::http::{self, RequestLog, ResponseBody};

use crate::{in_flight::Overloaded, listen::NotRunnable};

/// The reason why the server, rather than the service, answers a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Rejection {
    #[error("{0}")]
    TooLarge(String),
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    #[error("there was no response within {0:?}")]
    Timeout(Duration),
}

/// Returns a 400 whose message explains the error, or a 500 whose cause appears only in the log.
pub(super) fn error_response(rejection: Rejection) -> (Response<ResponseBody>, RequestLog) {
    let (status, message) = match &rejection {
        Rejection::TooLarge(_) | Rejection::NotRunnable(NotRunnable::Ambiguous(_)) => {
            (StatusCode::BAD_REQUEST, rejection.to_string())
        }
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal error".to_owned()),
    };
    let mut response = http::error_response(status, &message);
    let headers = response.headers_mut();
    let mut log = RequestLog::default();
    if status.is_server_error() {
        headers.insert(RETRY_AFTER, 1.into());
        log.cause = Some(Arc::new(rejection));
    }
    (response, log)
}
