//! Tests of the public contract check: leadapi's own service meets every requirement, and the check reports each
//! planted defect.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod defects;
mod not_the_api;
mod ours;
mod program;

use std::num::NonZeroU32;

use leadapi_client::{
    timer::Timer,
    transport::{InProcess, Transport},
};
use leadapi_core::{
    dataset::Dataset,
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow},
    model::Timestamp,
    tokens::{self, StoredTokens},
};
use leadapi_testkit::{
    ManualTimer,
    conformance::{Outcome, Report},
};

/// The standard data set.
const DATA: &str = include_str!("../../../leadapi-client/testkit/conformance/dataset.json");

/// The time at which a simulated timer starts.
fn start() -> Timestamp {
    "2026-11-04T12:00:00Z".parse().unwrap()
}

/// Returns a service with the standard data set and this clock.
async fn service(time: &ManualTimer, limits: Limits) -> LeadService {
    let dataset = Dataset::parse(DATA).unwrap();
    let tokens = MemoryTokens::default();
    let now = || {
        let time = time.clone();
        move || start().checked_add(time.now()).unwrap()
    };
    tokens::import(&tokens, &dataset, now()()).await.unwrap();
    let elapsed = time.clone();
    LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, now()))
        .clock(now())
        .limiter(SlidingWindow::with_time(limits, move || elapsed.now()))
        .base_path("/v1")
        .build()
        .unwrap()
}

/// Returns an in-process transport to the service that adds request ids, as the server does.
async fn in_process(time: &ManualTimer, limits: Limits) -> impl Transport {
    InProcess::new(leadapi_access::with_request_ids(service(time, limits).await))
}

fn raised() -> Limits {
    Limits::new(NonZeroU32::MAX, NonZeroU32::MAX)
}

/// Returns the violated requirements, each prefixed with its section.
fn broken(report: &Report) -> Vec<String> {
    let broken = report.sentences.iter().filter(|sentence| matches!(sentence.outcome, Outcome::Broken(_)));
    broken.map(|sentence| format!("{} {}", sentence.section, sentence.text)).collect()
}

/// Returns the skipped requirements, each with the reason.
fn skipped(report: &Report) -> Vec<String> {
    let skipped = report.sentences.iter().filter_map(|sentence| match &sentence.outcome {
        Outcome::Skipped(reason) => Some(format!("{}: {reason}", sentence.text)),
        _ => None,
    });
    skipped.collect()
}
