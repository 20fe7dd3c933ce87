//! The time of one call of the service in process: no socket, no runtime, everything else on.

#![allow(
    missing_docs,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and ends at the first thing that is wrong"
)]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use futures_executor::block_on;
use http::{Request, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use leadapi_core::{
    dataset::Dataset,
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_server::SAMPLE;
use tower::Service;

const ROUNDS: usize = 15;
const CALLS: u32 = 20_000;

fn main() {
    let dataset = Dataset::parse(SAMPLE).unwrap();
    let one = dataset.businesses[0].leads[0].id.clone();
    let client = dataset.businesses[0].clients[0].id.clone();
    let tokens = MemoryTokens::default();
    let minted = block_on(tokens::seed(&tokens, &dataset, SystemClock.now().into())).unwrap();
    let token = minted[0].secret.expose().to_owned();
    let many = u32::MAX.try_into().unwrap();
    let mut service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock))
        .limiter(SlidingWindow::new(Limits { reads: many, writes: many }))
        .build()
        .unwrap();
    println!("median of {ROUNDS} rounds of {CALLS} calls");
    let new = format!(r#"{{"client_id":"{client}","name":"Ada Lovelace","email":"ada@example.org","value":450}}"#);
    for (name, method, path, body, status) in [
        ("unknown path", "GET", "/nowhere".to_owned(), "", StatusCode::NOT_FOUND),
        ("GET one", "GET", format!("/leads/{one}"), "", StatusCode::OK),
        ("GET list of 40", "GET", "/leads".to_owned(), "", StatusCode::OK),
        ("PATCH one", "PATCH", format!("/leads/{one}"), r#"{"value":451,"notes":"called"}"#, StatusCode::OK),
        ("POST create", "POST", "/leads".to_owned(), &new, StatusCode::CREATED),
    ] {
        let request = || {
            let request =
                Request::builder().method(method).uri(&path).header("authorization", format!("Bearer {token}"));
            request.body(Full::<Bytes>::from(body.to_owned())).unwrap()
        };
        let mut rounds: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                // Requests are built beforehand: they are the host's work.
                let requests: Vec<_> = (0..CALLS).map(|_| request()).collect();
                let start = Instant::now();
                for request in requests {
                    let response = block_on(service.call(request)).unwrap();
                    assert_eq!(black_box(response).status(), status);
                }
                start.elapsed() / CALLS
            })
            .collect();
        rounds.sort();
        println!("{name:<16} {:?}", rounds[ROUNDS / 2]);
    }
}
