//! The service with injected faults, as a handler for the test server.

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

use super::faults::{FaultAction, Faults};
use crate::serve::{Cut, Handler, Reply, error_response};

/// The service with injected faults.
pub(super) struct FaultyService {
    pub(super) service: LeadService,
    pub(super) faults: Arc<Mutex<Faults>>,
}

impl Handler for FaultyService {
    fn handle(&self, request: Request<Bytes>) -> Reply {
        let (action, delay) = self.faults.lock().unwrap_or_else(PoisonError::into_inner).next();
        let response = match action {
            FaultAction::Fail => error_response::server_error(),
            FaultAction::Serve | FaultAction::DropResponse => serve(&self.service, request),
        };
        let cut = (action == FaultAction::DropResponse).then_some(Cut::Whole);
        Reply { response, delay, cut }
    }
}

/// Returns the service's response. No part of a fake waits, so the future completes on its first poll.
fn serve(service: &LeadService, request: Request<Bytes>) -> Response<Bytes> {
    match poll_once(service.clone().call(request.map(Full::new))) {
        Some(Ok(response)) => response.map(ResponseBody::into_bytes),
        // Unreachable today. If the service ever waits, the test receives an error instead of hanging.
        None => error_response::error(StatusCode::INTERNAL_SERVER_ERROR, "the fake's service had to wait"),
    }
}

/// Polls a future once. Returns its output, or `None` if it is not ready.
pub(super) fn poll_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
