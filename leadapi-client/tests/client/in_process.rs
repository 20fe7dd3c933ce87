//! The in-process transport with third-party services.

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

/// A body of this many mebibytes.
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

/// A service with a fixed readiness and answer.
#[derive(Clone)]
struct Fake {
    ready: Result<(), &'static str>,
    answer: Result<usize, &'static str>,
}

impl Service<Request<Full<Bytes>>> for Fake {
    type Response = Response<Mebibytes>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(self.ready.map_err(Into::into))
    }

    fn call(&mut self, _: Request<Full<Bytes>>) -> Self::Future {
        ready(self.answer.map(|mebibytes| Response::new(Mebibytes(mebibytes))).map_err(Into::into))
    }
}

fn ask(fake: Fake) -> leadapi_client::Error {
    let client = Client::builder("http://in-process/v1", "pak_0123").in_process(fake).unwrap();
    wait(client.client_accounts().list(Window::default()).retry(RetryPolicy::none())).unwrap_err()
}

#[test]
fn a_service_that_is_not_ready_was_not_reached() {
    let error = ask(Fake { ready: Err("closed"), answer: Ok(0) });
    assert_eq!(
        (error.outcome(), error.to_string().as_str()),
        (Outcome::NotSent, "GET /clients: could not be sent: closed")
    );
}

#[test]
fn a_service_that_fails_may_have_been_reached() {
    let error = ask(Fake { ready: Ok(()), answer: Err("lost") });
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "lost");
}

#[test]
fn a_body_without_an_end_is_not_read_to_it() {
    let limit = MAX_RESPONSE_BYTES / 1_048_576;
    let unreadable = ask(Fake { ready: Ok(()), answer: Ok(limit) });
    assert_eq!(unreadable.status().map(|status| status.as_u16()), Some(200));
    let endless = ask(Fake { ready: Ok(()), answer: Ok(usize::MAX) });
    assert_eq!((endless.outcome(), endless.status()), (Outcome::Unknown, None));
    assert!(std::error::Error::source(&endless).unwrap().to_string().contains("larger than"), "{endless:?}");
}
