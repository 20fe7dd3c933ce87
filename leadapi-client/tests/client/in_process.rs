//! Tests of the in-process transport with custom services.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::Full;
use leadapi_client::{Client, Outcome, RetryPolicy, model::Window, transport::MAX_RESPONSE_BYTES};
use tower_service::Service;

use crate::support::wait;

/// A response body of the given size in MiB.
struct Mebibytes(usize);

impl Body for Mebibytes {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        static BLANKS: [u8; 1_048_576] = [b' '; 1_048_576];
        self.0 = match self.0.checked_sub(1) {
            Some(left) => left,
            None => return Poll::Ready(None),
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&BLANKS)))))
    }
}

/// A service whose readiness and response are fixed.
#[derive(Clone)]
struct FixedService {
    ready: Result<(), &'static str>,
    response: Result<usize, &'static str>,
}

impl Service<Request<Full<Bytes>>> for FixedService {
    type Response = Response<Mebibytes>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(self.ready.map_err(Into::into))
    }

    fn call(&mut self, _: Request<Full<Bytes>>) -> Self::Future {
        ready(self.response.map(|mebibytes| Response::new(Mebibytes(mebibytes))).map_err(Into::into))
    }
}

fn call_error(service: FixedService) -> leadapi_client::Error {
    let client = Client::builder("http://in-process/v1", "pak_0123").in_process(service).build().unwrap();
    wait(client.client_accounts().list(Window::default()).retry(RetryPolicy::none())).unwrap_err()
}

#[test]
fn an_error_of_poll_ready_means_not_sent() {
    let error = call_error(FixedService { ready: Err("closed"), response: Ok(0) });
    assert_eq!(
        (error.outcome(), error.to_string().as_str()),
        (Outcome::NotSent, "GET /clients: could not be sent: closed")
    );
}

#[test]
fn an_error_of_the_service_has_an_unknown_outcome() {
    let error = call_error(FixedService { ready: Ok(()), response: Err("lost") });
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "lost");
}

#[test]
fn a_body_beyond_the_limit_is_not_read() {
    let limit = MAX_RESPONSE_BYTES / 1_048_576;
    let unreadable = call_error(FixedService { ready: Ok(()), response: Ok(limit) });
    assert_eq!(unreadable.status().map(|status| status.as_u16()), Some(200));
    let too_large = call_error(FixedService { ready: Ok(()), response: Ok(usize::MAX) });
    assert_eq!((too_large.outcome(), too_large.status()), (Outcome::Unknown, None));
    assert!(std::error::Error::source(&too_large).unwrap().to_string().contains("larger than"), "{too_large:?}");
}
