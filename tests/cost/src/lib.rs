//! Calls of the service in process, as they are measured: no socket, no runtime, everything else on.
#![allow(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a measurement ends at the first thing that is wrong"
)]

mod operation;
mod sample;

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
pub use sample::{SAMPLE, sample};

/// A service, and requests that it has not been asked yet.
#[derive(Debug)]
pub struct Calls {
    service: LeadService,
    requests: Vec<Request<Full<Bytes>>>,
    status: StatusCode,
}

impl Calls {
    /// Requests are built beforehand: they are the host's work.
    #[must_use]
    pub fn prepare(operation: &Operation, count: usize) -> Self {
        // A page of 50 is to be full, and each delete to find a lead.
        let dataset = sample(count.max(50));
        let business = dataset.businesses[0].clone();
        let tokens = MemoryTokens::default();
        let minted = block_on(tokens::seed(&tokens, &dataset, SystemClock.now().into())).unwrap();
        let token = minted[0].secret.expose();
        let requests = (0..count).map(|nth| operation.request(nth, &business, token)).collect();
        let many = u32::MAX.try_into().unwrap();
        let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock))
            .limiter(SlidingWindow::new(Limits { reads: many, writes: many }))
            .build()
            .unwrap();
        Self { service, requests, status: operation.status }
    }

    /// Makes all of them, one after the other, and drops the answers.
    pub fn make(&mut self) {
        for request in self.requests.drain(..) {
            let response = block_on(self.service.call(request)).unwrap();
            assert_eq!(response.status(), self.status);
        }
    }
}
