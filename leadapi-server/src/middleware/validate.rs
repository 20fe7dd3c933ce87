//! Request validation: the size limits on headers and targets.

use http::Request;

use super::error_response::Rejection;
use crate::limits::HttpLimits;

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
