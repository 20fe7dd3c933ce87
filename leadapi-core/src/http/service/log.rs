//! The facts about a request that a host can log.

use std::{error::Error, sync::Arc};

use crate::{auth::Caller, http::Operation};

/// The facts that the service learned about a request. The service adds no secrets and no personal data, but the cause
/// comes from host code.
///
/// Every response from the service's `call` method carries this log as an extension, for the host's own logs and
/// metrics. The response itself never contains the cause of a 500 (contract D2).
///
/// ```
/// use leadapi_core::http::RequestLog;
///
/// fn log<B>(response: &http::Response<B>) {
///     if let Some(RequestLog { cause: Some(cause), .. }) = response.extensions().get() {
///         eprintln!("internal error: {cause}");
///     }
/// }
/// # log(&http::Response::new(()));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RequestLog {
    /// The operation. `None` if the request matches no operation.
    pub operation: Option<Operation>,
    /// The caller. `None` if the request had no valid token, or failed before the token check.
    pub caller: Option<Caller>,
    /// The cause of a 500, and `None` for any other status. It is a [`StoreError`](crate::port::StoreError) if a store
    /// failed.
    pub cause: Option<Arc<dyn Error + Send + Sync>>,
}
