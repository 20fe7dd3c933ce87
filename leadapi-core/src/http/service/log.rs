//! What a host may write into its log about a request.

use std::{error::Error, sync::Arc};

use crate::{auth::Caller, http::Operation};

/// What the service found out about a request, without secrets and personal data.
///
/// It is among the extensions of every answer, so that a host logs and counts as it likes; the cause of a 500 stands
/// nowhere else (contract D2).
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
    /// The operation, once path and method were known.
    pub operation: Option<Operation>,
    /// Whose request it is, once the token was found good.
    pub caller: Option<Caller>,
    /// Why the answer is 500.
    pub cause: Option<Arc<dyn Error + Send + Sync>>,
}
