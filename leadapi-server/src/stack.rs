//! What stands around the service on every request: its id, and its line in the log.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body;
use leadapi_core::{
    BoxError,
    http::{LeadService, RequestLog, header::X_REQUEST_ID},
};
use tower::{Service, ServiceBuilder};
use tower_http::{
    ServiceBuilderExt,
    request_id::{MakeRequestId, RequestId},
    trace::TraceLayer,
};
use tracing::{Span, error, error_span, info};
use uuid::Uuid;

use crate::chain::chain;

/// The longest request id that is taken from a caller (contract D2).
const MAX_ID_CHARS: usize = 128;

/// The service as the server serves it: with request ids and one line of log for each request.
pub fn stack<B>(
    service: LeadService,
) -> impl Service<
    Request<B>,
    Response = Response<impl Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static>,
    Error = Infallible,
    Future: Send,
> + Clone
+ Send
+ Sync
+ 'static
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    ServiceBuilder::new()
        .map_request(without_bad_id)
        .set_x_request_id(Uuids)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(log::<_>)
                .on_body_chunk(())
                .on_eos(())
                .on_failure(()),
        )
        .propagate_x_request_id()
        .service(service)
}

#[derive(Clone, Copy)]
struct Uuids;

impl MakeRequestId for Uuids {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        HeaderValue::try_from(Uuid::now_v7().to_string()).ok().map(RequestId::new)
    }
}

/// A caller's id goes into logs and back to the caller, so only a harmless one is kept (contract D2).
fn without_bad_id<B>(mut request: Request<B>) -> Request<B> {
    if !has_good_id(request.headers()) {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

fn has_good_id(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(X_REQUEST_ID).iter();
    let good = |value: &HeaderValue| {
        (1..=MAX_ID_CHARS).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    values.next().is_some_and(good) && values.next().is_none()
}

/// Of the level of errors, so that the cause of a 500 is never without its request id.
fn span<B>(request: &Request<B>) -> Span {
    let id = request.headers().get(X_REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    error_span!("request", id, method = %request.method(), path = shown(request.uri().path()))
}

/// The path as it may be logged; the query may not, its values may be personal. It is cut, because anybody can send
/// one, and a token that was put into it by mistake is not shown.
fn shown(path: &str) -> &str {
    const MAX_CHARS: usize = 128;
    let cut = path.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let end = [path.find("pak_"), cut].into_iter().flatten().min();
    path.get(..end.unwrap_or(path.len())).unwrap_or_default()
}

fn log<B>(response: &Response<B>, took: Duration, _: &Span) {
    let (status, took) = (response.status().as_u16(), format_args!("{took:?}").to_string());
    let log = response.extensions().get::<RequestLog>().cloned().unwrap_or_default();
    let operation = log.operation.map_or("-", leadapi_core::http::Operation::name);
    let business = log.business.map(tracing::field::display);
    let token = log.token.map(tracing::field::display);
    match log.cause {
        None => info!(status, took, operation, business, token, "answered"),
        Some(cause) => error!(status, took, operation, business, token, cause = %chain(&*cause), "failed"),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use async_trait::async_trait;
    use http_body_util::Empty;
    use leadapi_core::{
        auth::BearerToken,
        memory::MemoryStore,
        port::{TokenVerifier, Verdict},
    };
    use tower::ServiceExt;

    use super::*;

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

    /// Also where the log is turned down to errors.
    #[tokio::test]
    async fn the_cause_of_a_500_is_logged_with_its_request_id_and_not_told() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt().with_max_level(tracing::Level::ERROR).with_ansi(false);
        let log = log.with_writer(move || writer.clone()).finish();
        let _guard = tracing::subscriber::set_default(log);
        let service = stack(LeadService::builder(MemoryStore::default(), Broken).build().unwrap());
        let request = Request::get("/leads").header("authorization", "Bearer pak_x").header(X_REQUEST_ID, "the-id");
        let response = service.oneshot(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
        assert_eq!((response.status().as_u16(), &response.headers()[X_REQUEST_ID]), (500, &"the-id".parse().unwrap()));
        let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        for part in ["the-id", "the database is down", "list_leads", "status=500"] {
            assert!(log.contains(part), "{part}: {log}");
        }
        assert!(!log.contains("pak_"), "{log}");
    }
}
