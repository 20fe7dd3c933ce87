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

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use async_trait::async_trait;
    use http::Request;
    use leadapi_core::{
        BoxError,
        auth::BearerToken,
        http::{LeadService, header::X_REQUEST_ID},
        port::{TokenVerifier, Verdict},
    };
    use leadapi_memory::MemoryStore;
    use tokio::time::Instant;

    use crate::{in_flight::RequestsInFlight, limits::HttpLimits, metrics::Metrics, middleware::Middleware};

    struct Broken;

    #[async_trait]
    impl TokenVerifier for Broken {
        async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
            Err("the database is down".into())
        }
    }

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The log level is `ERROR`, so this also checks that the cause is logged at that level.
    #[tokio::test]
    async fn the_cause_of_a_500_is_in_the_log_with_its_request_id_and_not_in_the_response() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt().with_max_level(tracing::Level::ERROR).with_ansi(false);
        let log = log.with_writer(move || writer.clone()).finish();
        let _guard = tracing::subscriber::set_default(log);
        let service = LeadService::builder(MemoryStore::default(), Broken).build().unwrap();
        let metrics = Arc::new(Metrics::new().unwrap());
        let in_flight = RequestsInFlight::new(&HttpLimits::default(), metrics.in_flight().clone());
        let middleware = Middleware::new(service, Arc::default(), in_flight, metrics);
        let request = Request::get("/leads").header("authorization", "Bearer pak_x").header(X_REQUEST_ID, "the-id");
        let request = request.header("host", "localhost");
        let request = request.body(String::new()).unwrap();
        let response = middleware.respond(request, Instant::now(), Ok(())).await;
        assert_eq!((response.status().as_u16(), &response.headers()[X_REQUEST_ID]), (500, &"the-id".parse().unwrap()));
        let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        for part in ["the-id", "the database is down", "list_leads", "status=500"] {
            assert!(log.contains(part), "{part}: {log}");
        }
        assert!(!log.contains("pak_"), "{log}");
    }
}
