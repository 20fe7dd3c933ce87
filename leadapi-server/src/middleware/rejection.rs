//! The requests that the server rejects, and its own error responses, in the format that the contract defines (D2).

use std::time::Duration;

use http::{Request, Response, StatusCode};
use leadapi_access::{LookupError, internal_error};
use leadapi_core::http::{RequestLog, ResponseBody, error_response as bad_request};

use crate::{in_flight::Overloaded, limits::HttpLimits, listen::NotRunnable};

/// The reason why the server, rather than the service, answers a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Rejection {
    #[error("{0}")]
    TooLarge(String),
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    #[error("there was no response within {0:?}")]
    Timeout(Duration),
}

/// Checks the sizes of the target and the headers.
pub(super) fn validate<B>(request: &Request<B>, limits: &HttpLimits) -> Result<(), Rejection> {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits.target_bytes {
        return Err(Rejection::TooLarge(format!("path and query must be at most {} bytes", limits.target_bytes)));
    }
    if request.headers().len() > limits.headers {
        return Err(Rejection::TooLarge(format!("headers must be at most {}", limits.headers)));
    }
    Ok(())
}

/// Returns a 400 whose message explains the error, or a 500 whose cause appears only in the log.
pub(super) fn error_response(rejection: Rejection) -> (Response<ResponseBody>, RequestLog) {
    match &rejection {
        Rejection::TooLarge(_) | Rejection::NotRunnable(NotRunnable::Ambiguous(_)) => {
            (bad_request(StatusCode::BAD_REQUEST, &rejection.to_string()), RequestLog::default())
        }
        _ => internal_error(rejection),
    }
}

/// Returns the response to a request that the listener must not run.
pub(crate) fn refusal(error: NotRunnable) -> (Response<ResponseBody>, RequestLog) {
    error_response(error.into())
}
