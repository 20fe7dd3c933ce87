//! The log line and the tracing span of a request.

use std::time::Duration;

use http::{HeaderValue, Method, Request, StatusCode, Uri};
use leadapi_core::{
    error_chain,
    http::{Operation, RequestLog},
    text::find_token,
};
use tracing::{Span, error, info, trace_span};

const KNOWN_METHODS: [Method; 9] = [
    Method::GET,
    Method::POST,
    Method::PATCH,
    Method::DELETE,
    Method::HEAD,
    Method::OPTIONS,
    Method::PUT,
    Method::TRACE,
    Method::CONNECT,
];

/// The request data for the log, which is formatted only if a line is written.
pub(crate) struct LoggedRequest {
    id: HeaderValue,
    method: Method,
    uri: Uri,
}

impl LoggedRequest {
    pub(crate) fn new<B>(request: &Request<B>, id: HeaderValue) -> Self {
        Self { id, method: request.method().clone(), uri: request.uri().clone() }
    }

    /// Returns the request's span, for traces. The default log level omits it, because the log line has the same
    /// fields.
    pub(super) fn span(&self) -> Span {
        trace_span!("request", request_id = self.id(), method = method(&self.method), path = self.path())
    }

    /// Returns the path for the log.
    fn path(&self) -> &str {
        redacted(self.uri.path())
    }

    /// Writes the request's log line, at level `ERROR` if the request failed and the cause is known.
    pub(super) fn log(&self, status: StatusCode, about: &RequestLog, duration: Duration) {
        macro_rules! line {
            ($level:ident, $text:literal $(, $cause:expr)?) => {
                $level!(
                    request_id = self.id(),
                    method = method(&self.method),
                    path = self.path(),
                    status = status.as_u16(),
                    took_ms = (duration.as_secs_f64() * 1e6).round() / 1e3,
                    operation = about.operation.map_or("-", Operation::name),
                    business = about.caller.as_ref().map(|caller| display(&caller.business)),
                    token = about.caller.as_ref().map(|caller| display(&caller.token)),
                    $(cause = $cause,)?
                    $text
                )
            };
        }
        match about.cause.as_ref() {
            None => line!(info, "answered"),
            Some(cause) => line!(error, "failed", display(error_chain(&**cause))),
        }
    }

    fn id(&self) -> &str {
        self.id.to_str().unwrap_or_default()
    }
}

/// Returns the method if it is in `KNOWN_METHODS`, otherwise `OTHER`, because any other method can contain arbitrary
/// text from the caller.
fn method(method: &Method) -> &str {
    if KNOWN_METHODS.contains(method) { method.as_str() } else { "OTHER" }
}

/// Returns a prefix of the path that is safe to log. Its length is limited, because callers choose the length of the
/// path, and it ends before any token that the path contains by mistake.
fn redacted(path: &str) -> &str {
    const MAX_CHARS: usize = 128;
    let cut = path.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let token = find_token(path.as_bytes());
    let end = [token, cut].into_iter().flatten().min();
    path.get(..end.unwrap_or(path.len())).unwrap_or_default()
}
