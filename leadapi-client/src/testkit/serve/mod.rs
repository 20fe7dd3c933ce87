//! What the mock and the fake have in common: a server of wiremock's behind a door that can cut an answer.

mod client;
mod front;
pub(super) mod refusal;

use std::{net::TcpListener, thread, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response};
use wiremock::{BodyPrintLimit, Match, Mock, MockServer, Respond, ResponseTemplate};

pub(super) use self::client::{client, transport, unhurried};
use self::front::{CUT, Front};

/// What stands before every path.
pub(super) const BASE: &str = "/v1";

/// Who answers. It is asked by one request at a time, and must not wait.
pub(super) trait Answers: Send + Sync + 'static {
    fn answer(&self, request: Request<Bytes>) -> Reply;
}

/// An answer, and what happens to it on its way.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) response: Response<Bytes>,
    /// So long it is held back.
    pub(super) delay: Duration,
    pub(super) cut: Option<Cut>,
}

/// How much of an answer leaves before the connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// None of it.
    Whole,
    /// Half of its body; of an answer without one, half of its head.
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
    front: Front,
    /// There until the server is dropped.
    behind: Option<MockServer>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // wiremock blocks on a lock of tokio's when it is dropped. In a task that has used up its turn that lock is never
        // given, and the test would hang for ever; a thread outside of the runtime has no turns.
        let behind = self.behind.take();
        let _ = thread::spawn(move || drop(behind)).join();
    }
}

impl Server {
    pub(super) async fn start(answers: impl Answers) -> Self {
        let behind = MockServer::builder()
            .disable_request_recording()
            .body_print_limit(BodyPrintLimit::Limited(0))
            .listener(listener())
            .start()
            .await;
        behind.register(Mock::given(Anything).respond_with(Adapter(answers))).await;
        Self { front: Front::open(listener(), *behind.address()), behind: Some(behind) }
    }

    /// The base URL.
    pub(super) fn url(&self) -> String {
        format!("http://{}{BASE}", self.front.address())
    }
}

#[expect(clippy::expect_used, reason = "without a port there is nothing that a test could do")]
fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port of 127.0.0.1")
}

/// wiremock chooses nothing here: what a request is answered is decided in one place, by [`Answers`].
struct Anything;

impl Match for Anything {
    fn matches(&self, _: &wiremock::Request) -> bool {
        true
    }
}

struct Adapter<A>(A);

impl<A: Answers> Respond for Adapter<A> {
    fn respond(&self, asked: &wiremock::Request) -> ResponseTemplate {
        let mut request = Request::new(Bytes::copy_from_slice(&asked.body));
        request.method_mut().clone_from(&asked.method);
        request.headers_mut().clone_from(&asked.headers);
        // wiremock has read the URI already as browsers do: `.` and `..` are gone, and a backslash is a slash.
        let query = asked.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let uri = format!("{}{query}", asked.url.path()).parse();
        *request.uri_mut() = uri.unwrap_or_default();
        let Reply { response, delay, cut } = self.0.answer(request);
        let (head, body) = response.into_parts();
        let mut template = ResponseTemplate::new(head.status).append_headers(head.headers.iter());
        if let Some(cut) = cut {
            template = template.insert_header(CUT, mark(cut, &asked.method, &body));
        }
        if !body.is_empty() {
            template = template.set_body_bytes(body);
        }
        if delay.is_zero() { template } else { template.set_delay(delay) }
    }
}

/// What tells the door where to cut: after so many bytes of the body, or else within the head.
fn mark(cut: Cut, method: &Method, body: &Bytes) -> String {
    match cut {
        Cut::Whole => "whole".to_owned(),
        Cut::Half if body.is_empty() || *method == Method::HEAD => "head".to_owned(),
        Cut::Half => (body.len() / 2).to_string(),
    }
}
