//! The service of one connection. A request is in the deadline table while it runs. Its response is sent once the
//! unread rest of its body has been discarded, so that the next request can follow.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::future::Either;
use http::{HeaderValue, Method, Request, Response, Version, header};
use http_body::Body;
use hyper::{
    body::Incoming,
    service::{Service, service_fn},
};
use pin_project_lite::pin_project;
use tokio::time::timeout_at;

use super::{
    Shared,
    body::Timely,
    request::{Delivered, Running},
};
use crate::{limits::HttpLimits, listen::Handler};

pub(super) fn answering<A: Handler>(
    service: A,
    limits: &HttpLimits,
    shared: &Shared,
) -> impl Service<Request<Incoming>, Response = Response<Delivered<A::Body>>, Error = Infallible, Future: Send> + use<A>
{
    let (body_time, request_time, shared) = (limits.body, limits.request, shared.clone());
    service_fn(move |request: Request<Incoming>| {
        let running = Running::begin(&shared);
        let kind =
            RequestKind { is_http1: request.version() < Version::HTTP_2, is_head: request.method() == Method::HEAD };
        let (head, body) = request.into_parts();
        let has_body = !body.is_end_stream();
        let body = Timely::of(body, &head, body_time, &running);
        let (service, since) = (service.clone(), running.since);
        let answer = if kind.is_http1 && shared.backlog().has_space() {
            Either::Left(service.answer(head, body, since))
        } else {
            // In HTTP/2 many requests arrive before the first of them runs, so each checks for space when it runs.
            let shared = shared.clone();
            Either::Right(async move {
                let backlog = shared.backlog();
                if !backlog.has_space() && timeout_at(since + request_time, backlog.space()).await.is_err() {
                    return service.refuse(head, since).await;
                }
                service.answer(head, body, since).await
            })
        };
        Answering { answer, begun: Some(running), late: None, has_body, kind }
    })
}

pin_project! {
    // One hand-written future instead of combinators, because each combinator would move the response once more.
    struct Answering<F, B> {
        #[pin]
        answer: F,
        // `None` once there is a response.
        begun: Option<Running>,
        // A response that waits for the rest of its request. Boxed, because it is rare and would make every future
        // larger.
        late: Option<Pin<Box<dyn Future<Output = Response<Delivered<B>>> + Send>>>,
        has_body: bool,
        kind: RequestKind,
    }
}

/// The properties of a request that decide how its response is sent.
#[derive(Clone, Copy)]
struct RequestKind {
    is_http1: bool,
    is_head: bool,
}

impl<F: Future<Output = Response<B>>, B: Body + Send + 'static> Future for Answering<F, B> {
    type Output = Result<Response<Delivered<B>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Some(late) = this.late {
            return late.as_mut().poll(cx).map(Ok);
        }
        let response = ready!(this.answer.poll(cx));
        // A future that is polled after its completion stays pending.
        let Some(running) = this.begun.take() else { return Poll::Pending };
        let (kind, rest) = (*this.kind, this.has_body.then(|| running.take_rest()).flatten());
        // A response that closes the connection anyway need not wait for the rest.
        let Some(rest) = rest.filter(|_| !response.headers().contains_key(header::CONNECTION)) else {
            return Poll::Ready(Ok(deliver(response, false, running, kind)));
        };
        let late = this.late.insert(Box::pin(async move {
            let is_over = rest.pass_over().await;
            deliver(response, !is_over, running, kind)
        }));
        late.as_mut().poll(cx).map(Ok)
    }
}

fn deliver<B: Body>(
    mut response: Response<B>,
    is_last: bool,
    running: Running,
    kind: RequestKind,
) -> Response<Delivered<B>> {
    // A client that knows that the connection closes does not send its next request into it.
    if kind.is_http1 && (is_last || !running.shared.shutdown().is_running()) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    // In HTTP/2 a body in a response to HEAD is a stream error, and some clients close the whole connection over it
    // (RFC 9113, 8.1.1). Content-Length is that of the GET (RFC 9110, 8.6).
    if kind.is_head
        && let Some(length) = response.body().size_hint().exact()
    {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
    }
    response.map(|body| running.deliver((!kind.is_head).then_some(body), kind.is_http1))
}
