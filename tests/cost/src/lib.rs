//! Makes in-process calls to the service, sends the same requests to a server, and walks through a form, for
//! measurements. The in-process calls use no socket and no async runtime, but the service is otherwise complete.
#![allow(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the measurement"
)]

mod client;
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
    clock::SystemClock,
    dataset::BusinessSeed,
    http::LeadService,
    port::Clock,
    rate_limit::{Limits, SlidingWindow},
    tokens::{self, StoredTokens},
};
use leadapi_memory::{MemoryStore, MemoryTokens};
use tower_service::Service;

pub use client::Client;
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
        let (service, token) = service(count);
        let business = business(count);
        let requests = (0..count).map(|nth| operation.request(nth, &business, &token)).collect();
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

/// Returns a service for `count` calls to an operation, and a token for its first business.
#[must_use]
pub fn service(count: usize) -> (LeadService, String) {
    let dataset = sample(leads(count));
    let tokens = MemoryTokens::default();
    let issued = block_on(tokens::import(&tokens, &dataset, SystemClock.now())).unwrap();
    let token = issued[0].secret.expose().to_owned();
    let many = u32::MAX.try_into().unwrap();
    let verifier = StoredTokens::new(tokens, SystemClock).record_uses(Arc::default());
    let service = LeadService::builder(MemoryStore::new(dataset), verifier)
        .limiter(SlidingWindow::new(Limits::new(many, many)))
        .build()
        .unwrap();
    (service, token)
}

/// Returns the first business of the service for `count` calls.
fn business(count: usize) -> BusinessSeed {
    sample(leads(count)).businesses.remove(0)
}

/// Returns the number of leads. The page of 50 must be full, and each delete must find a lead.
fn leads(count: usize) -> usize {
    count.max(50)
}
