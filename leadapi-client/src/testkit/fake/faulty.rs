//! The service with its faults, as the server calls it.

use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use leadapi_core::http::{LeadService, ResponseBody};
use tower_service::Service;

use super::faults::{Deed, Faults};
use crate::testkit::serve::{Answers, Cut, Reply, refusal};

/// The service with its faults.
pub(super) struct Faulty {
    pub(super) service: LeadService,
    pub(super) faults: Arc<Mutex<Faults>>,
}

impl Answers for Faulty {
    fn answer(&self, request: Request<Bytes>) -> Reply {
        let (deed, delay) = self.faults.lock().unwrap_or_else(PoisonError::into_inner).next();
        let response = match deed {
            Deed::Fail => refusal::server_error(),
            Deed::Serve | Deed::Lose => serve(&self.service, request),
        };
        let cut = (deed == Deed::Lose).then_some(Cut::Whole);
        Reply { response, delay, cut }
    }
}

/// Returns the service's response. No part of a fake ever waits, so the future is ready after one poll.
fn serve(service: &LeadService, request: Request<Bytes>) -> Response<Bytes> {
    match at_once(service.clone().call(request.map(Full::new))) {
        Some(Ok(response)) => response.map(ResponseBody::into_bytes),
        // Unreachable today; if it ever happens, the test receives an error instead of hanging.
        None => refusal::refuse(StatusCode::INTERNAL_SERVER_ERROR, "the fake's service had to wait"),
    }
}

/// Returns the output of a future that is ready on the first poll.
pub(super) fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
