//! Tests of the public contract check: our own service passes completely, and the check reports each planted defect.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod defects;
mod not_the_api;
mod ours;
mod program;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use async_trait::async_trait;
use leadapi_client::{
    timer::Timer,
    transport::{InProcess, Transport},
};
use leadapi_core::{
    dataset::Dataset,
    http::LeadService,
    memory::{Limits, ManualClock, MemoryStore, MemoryTokens, SlidingWindow},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_testkit::conformance::{Outcome, Report};

/// The standard data set.
const DATA: &str = include_str!("../../../leadapi-client/testkit/conformance/dataset.json");

/// A simulated timer. Sleeping returns immediately and advances the clock, which otherwise stands still.
#[derive(Clone)]
struct Leaping(Arc<ManualClock>);

impl Leaping {
    fn new() -> Self {
        Self(Arc::new(ManualClock::at("2026-11-04T12:00:00Z".parse().unwrap())))
    }
}

#[async_trait]
impl Timer for Leaping {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.advance(duration);
    }
}

/// Returns a service with the standard data set and this clock.
async fn service(time: &Leaping, limits: Limits) -> LeadService {
    let dataset = Dataset::parse(DATA).unwrap();
    let tokens = MemoryTokens::default();
    let now = || {
        let clock = time.0.clone();
        move || clock.now()
    };
    tokens::import(&tokens, &dataset, time.0.now()).await.unwrap();
    let elapsed = time.0.clone();
    LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, now()))
        .clock(now())
        .limiter(SlidingWindow::with_time(limits, move || elapsed.elapsed()))
        .base_path("/v1")
        .build()
        .unwrap()
}

/// Returns an in-process transport to the service that adds request ids, as the server does.
async fn in_process(time: &Leaping, limits: Limits) -> impl Transport {
    InProcess::new(leadapi_server::with_request_ids(service(time, limits).await))
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
