//! Makes in-process calls to the service, and walks through a form, for measurements. The calls use no socket and no
//! async runtime, but the service is otherwise complete.
#![allow(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the measurement"
)]

mod operation;
mod sample;
mod sized;
mod walk;

use std::sync::Arc;

use bytes::Bytes;
use futures_executor::block_on;
use http::{Request, StatusCode};
use http_body_util::Full;
use leadapi_core::{
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use tower_service::Service;

pub use operation::{OPERATIONS, Operation};
pub use sample::sample;
pub use sized::sized;
pub use walk::WALK;

/// Prepares `count` calls to an operation, or `count` walks through a form, and passes `measure` a function that runs
/// them.
pub fn with_calls(name: &str, count: usize, measure: impl FnOnce(&mut dyn FnMut())) {
    if name == WALK {
        return walk::with_walks(count, measure);
    }
    let operation = OPERATIONS.iter().find(|operation| operation.name == name).unwrap();
    let mut calls = Calls::prepare(operation, count);
    measure(&mut || calls.make());
}

/// A service, and the prepared requests to send to it.
#[derive(Debug)]
pub struct Calls {
    service: LeadService,
    requests: Vec<Request<Full<Bytes>>>,
    status: StatusCode,
}

impl Calls {
    /// Prepares a service and its requests. Building a request is the host's task, so it must not be measured.
    #[must_use]
    pub fn prepare(operation: &Operation, count: usize) -> Self {
        // The page of 50 must be full, and each delete must find a lead.
        let dataset = sample(count.max(50));
        let business = dataset.businesses[0].clone();
        let tokens = MemoryTokens::default();
        let issued = block_on(tokens::import(&tokens, &dataset, SystemClock.now())).unwrap();
        let token = issued[0].secret.expose();
        let requests = (0..count).map(|nth| operation.request(nth, &business, token)).collect();
        let many = u32::MAX.try_into().unwrap();
        let verifier = StoredTokens::new(tokens, SystemClock).record_uses(Arc::default());
        let service = LeadService::builder(MemoryStore::new(dataset), verifier)
            .limiter(SlidingWindow::new(Limits::new(many, many)))
            .build()
            .unwrap();
        Self { service, requests, status: operation.status }
    }

    /// Sends all requests in sequence, checks the statuses, and drops the responses.
    pub fn make(&mut self) {
        for request in self.requests.drain(..) {
            let response = block_on(self.service.call(request)).unwrap();
            assert_eq!(response.status(), self.status);
        }
    }
}
