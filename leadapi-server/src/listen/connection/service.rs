//! The hyper service of a connection, called for each request.

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
    listen::{
        ambiguity::check_ambiguity,
        handler::{Handler, NotRunnable},
        request_body::RequestBody,
    },
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
        let ambiguity = check_ambiguity(&request);
        let (request, returned_body) = RequestBody::wrap(request, body_timeout);
        let handler = handler.clone();
        async move {
            // Waits here rather than on arrival, because over HTTP/2 many requests can arrive before the first one
            // starts.
            let space = exchange.wait_for_peer(request_timeout).await;
            let runnable = ambiguity.map_err(NotRunnable::from).and_then(|()| space.map_err(NotRunnable::from));
            let mut response = handler.handle(request, exchange.received, runnable).await;
            if ambiguity.is_err() {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // If the response closes the connection anyway, discarding the rest of the request is unnecessary.
            let can_reuse = response.headers().contains_key(header::CONNECTION) || returned_body.discard().await;
            // Tells the client not to send its next request on a closing connection.
            if is_http1 && !(can_reuse && exchange.keeps_connection()) {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // Over HTTP/2, a response to HEAD with a body is a stream error, for which some clients close the whole
            // connection (RFC 9113, 8.1.1). `Content-Length` has the value that the response to a GET would have (RFC
            // 9110, 8.6).
            if is_head && let Some(length) = response.body().size_hint().exact() {
                response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
            }
            Ok(response.map(|body| exchange.deliver((!is_head).then_some(body), is_http1)))
        }
    })
}
