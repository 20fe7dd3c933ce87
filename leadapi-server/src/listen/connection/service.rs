//! The service of one connection, which hyper calls for each request.

use std::convert::Infallible;

use http::{HeaderValue, Method, Request, Response, Version, header};
use http_body::Body;
use hyper::{
    body::Incoming,
    service::{Service, service_fn},
};

use super::{
    exchange::{Exchange, ResponseBody},
    state::ConnectionState,
};
use crate::{
    limits::HttpLimits,
    listen::{handler::Handler, request_body::RequestBody},
};

pub(super) fn connection_service<H: Handler>(
    handler: H,
    limits: &HttpLimits,
    connection: ConnectionState,
) -> impl Service<Request<Incoming>, Response = Response<ResponseBody<H::ResponseBody>>, Error = Infallible, Future: Send>
+ use<H> {
    let (body_timeout, request_timeout) = (limits.body, limits.request);
    service_fn(move |request: Request<Incoming>| {
        let exchange = Exchange::begin(&connection);
        let is_http1 = request.version() < Version::HTTP_2;
        let is_head = request.method() == Method::HEAD;
        let (request, returned_body) = RequestBody::wrap(request, body_timeout);
        let handler = handler.clone();
        async move {
            // In HTTP/2 many requests arrive before the first of them runs, so each waits when it runs.
            let backlog = exchange.wait_for_peer(request_timeout).await;
            let mut response = handler.handle(request, exchange.received, backlog).await;
            // A response that closes the connection anyway need not wait for the rest of the request.
            let can_go_on = response.headers().contains_key(header::CONNECTION) || returned_body.discard().await;
            // A client that knows that the connection closes does not send its next request into it.
            if is_http1 && !(can_go_on && exchange.is_server_running()) {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // In HTTP/2 a body in a response to HEAD is a stream error, and some clients close the whole connection
            // over it (RFC 9113, 8.1.1). Content-Length is that of the GET (RFC 9110, 8.6).
            if is_head && let Some(length) = response.body().size_hint().exact() {
                response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
            }
            Ok(response.map(|body| exchange.deliver((!is_head).then_some(body), is_http1)))
        }
    })
}
