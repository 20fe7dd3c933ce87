//! The server shared by the mock and the fake: a wiremock server behind a proxy that can cut responses.

mod client;
pub(super) mod error_response;
mod proxy;

use std::{net::TcpListener, thread, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response};
use wiremock::{BodyPrintLimit, Match, Mock, MockServer, Respond, ResponseTemplate};

pub(super) use self::client::{client, skip_waits, transport};
use self::proxy::{CUT, Proxy};

pub(super) const BASE: &str = "/v1";

/// A handler that answers requests one at a time and must not block.
pub(super) trait Handler: Send + Sync + 'static {
    fn handle(&self, request: Request<Bytes>) -> Reply;
}

/// A response, its delay, and where to cut it.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) response: Response<Bytes>,
    pub(super) delay: Duration,
    pub(super) cut: Option<Cut>,
}

/// The point at which to cut a response before closing the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The server sends nothing.
    Whole,
    /// The server sends half of the body, or half of the head if the response has no body.
    Half,
}

impl From<Response<Bytes>> for Reply {
    fn from(response: Response<Bytes>) -> Self {
        Self { response, delay: Duration::ZERO, cut: None }
    }
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    proxy: Proxy,
    /// `None` only while the server is being dropped.
    upstream: Option<MockServer>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Dropping a wiremock server blocks on a tokio lock. In a task that has used up its cooperative scheduling
        // budget, tokio never grants that lock, and the test would hang forever. A thread outside the runtime has no
        // such budget.
        let upstream = self.upstream.take();
        let _ = thread::spawn(move || drop(upstream)).join();
    }
}

impl Server {
    pub(super) async fn start(handler: impl Handler) -> Self {
        let upstream = MockServer::builder()
            .disable_request_recording()
            .body_print_limit(BodyPrintLimit::Limited(0))
            .listener(listener())
            .start()
            .await;
        upstream.register(Mock::given(Anything).respond_with(Adapter(handler))).await;
        Self { proxy: Proxy::open(listener(), *upstream.address()), upstream: Some(upstream) }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}{BASE}", self.proxy.address())
    }
}

#[expect(clippy::expect_used, reason = "a test cannot run without a port")]
fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port on 127.0.0.1")
}

/// Matches every request. The [`Handler`] selects the response.
struct Anything;

impl Match for Anything {
    fn matches(&self, _: &wiremock::Request) -> bool {
        true
    }
}

struct Adapter<A>(A);

impl<A: Handler> Respond for Adapter<A> {
    fn respond(&self, received: &wiremock::Request) -> ResponseTemplate {
        let mut request = Request::new(Bytes::copy_from_slice(&received.body));
        request.method_mut().clone_from(&received.method);
        request.headers_mut().clone_from(&received.headers);
        // wiremock has already normalized the URI as browsers do: it resolves `.` and `..` and treats a backslash as a
        // slash.
        let query = received.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let uri = format!("{}{query}", received.url.path()).parse();
        *request.uri_mut() = uri.unwrap_or_default();
        let Reply { response, delay, cut } = self.0.handle(request);
        let (head, body) = response.into_parts();
        let mut template = ResponseTemplate::new(head.status).append_headers(head.headers.iter());
        if let Some(cut) = cut {
            template = template.insert_header(CUT, mark(cut, &received.method, &body));
        }
        if !body.is_empty() {
            template = template.set_body_bytes(body);
        }
        if delay.is_zero() { template } else { template.set_delay(delay) }
    }
}

/// Returns the header value that tells the proxy where to cut: before the head, within the head, or after a number of
/// body bytes.
fn mark(cut: Cut, method: &Method, body: &Bytes) -> String {
    match cut {
        Cut::Whole => "whole".to_owned(),
        Cut::Half if body.is_empty() || *method == Method::HEAD => "head".to_owned(),
        Cut::Half => (body.len() / 2).to_string(),
    }
}
