//! Measures the overhead of the client's types, errors, retries and rate limiting. The baseline is bare reqwest with
//! serde, against the same server in the same run.
//!
//! The server runs on one thread, and the caller on another. Single calls of the client and of the baseline alternate,
//! and each round yields the ratio of their medians. For single calls, the client has its default configuration, with
//! its limiter on, except for raised rate limits. For exports, the client's limiter is off, and up to four requests are
//! in flight.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

use std::{sync::Arc, time::Instant};

use leadapi_client::{
    Client, Pacing,
    id::LeadId,
    model::{Lead, LeadItem, LeadQuery, Page},
};
use leadapi_cost::sample;
use tokio::{runtime::Builder, task::JoinSet};

#[path = "client/server.rs"]
mod server;

const ROUNDS: usize = 61;
const CALLS: usize = 300;

fn main() {
    let (address, token) = server::start(sample(50));
    let url = format!("http://{address}/v1");
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let pacing = Pacing::default().reads(u32::MAX).writes(u32::MAX);
        let client = Client::builder(&url, token.as_str()).pacing(pacing).build().unwrap();
        let bare = Bare { http: reqwest::Client::new(), url, token };
        let id = client.leads().list(&LeadQuery::new()).await.unwrap().data[0].id.clone();
        println!(
            "{ROUNDS} rounds of {CALLS} alternating calls; median times in microseconds, and median ratios per round"
        );
        compare("GET one", async || drop(bare.get(&id).await), async || drop(client.leads().get(&id).await.unwrap()))
            .await;
        let query = LeadQuery::new();
        compare(
            "list of 50",
            async || drop(bare.list().await),
            async || {
                drop(client.leads().list(&query).await.unwrap());
            },
        )
        .await;
    });
    let (address, token) = server::start(sample(EXPORTED));
    let url = format!("http://{address}/v1");
    runtime.block_on(async {
        let client = Client::builder(&url, token.as_str()).pacing(Pacing::off()).build().unwrap();
        let bare = Arc::new(Bare { http: reqwest::Client::new(), url, token });
        let rounds = async || (export_by_hand(&bare).await, export(&client).await);
        let mut figures = Vec::new();
        for _ in 0..=EXPORTS {
            figures.push(rounds().await);
        }
        let figures = &figures[1..];
        let bare = median(figures.iter().map(|(bare, _)| *bare));
        let ours = median(figures.iter().map(|(_, ours)| *ours));
        let ratio = median(figures.iter().map(|(bare, ours)| ours / bare));
        println!(
            "export of {EXPORTED}, {AT_ONCE} requests at once; medians of {EXPORTS} in leads per second: \
             bare {bare:.0}   client {ours:.0}   ratio {ratio:.3}"
        );
    });
}

const EXPORTED: usize = 100_000;
const EXPORTS: usize = 5;
const AT_ONCE: usize = 4;

/// Exports with concurrent requests by offset, and returns the leads per second. The export is complete only if nobody
/// writes at the same time.
async fn export_by_hand(bare: &Arc<Bare>) -> f64 {
    let (start, mut running, mut offset, mut leads) = (Instant::now(), JoinSet::new(), 0, 0);
    while offset < EXPORTED || !running.is_empty() {
        while offset < EXPORTED && running.len() < AT_ONCE {
            let (bare, from) = (bare.clone(), offset);
            running.spawn(async move { bare.page(from).await.data.len() });
            offset += 200;
        }
        leads += running.join_next().await.unwrap().unwrap();
    }
    assert_eq!(leads, EXPORTED);
    leads as f64 / start.elapsed().as_secs_f64()
}

/// Exports with a pager, which reads each lead exactly once even while others write. Returns the leads per second.
async fn export(client: &Client) -> f64 {
    let (start, mut leads) = (Instant::now(), 0);
    let mut stream = client.leads().list_all(LeadQuery::new()).prefetch(AT_ONCE).stream();
    while stream.try_next().await.unwrap().is_some() {
        leads += 1;
    }
    assert_eq!(leads, EXPORTED);
    leads as f64 / start.elapsed().as_secs_f64()
}

/// The baseline: a hand-written client.
struct Bare {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Bare {
    async fn get(&self, id: &LeadId) -> Lead {
        self.read(format!("{}/leads/{id}", self.url)).await
    }

    async fn list(&self) -> Page<LeadItem> {
        self.read(format!("{}/leads?limit=50&offset=0", self.url)).await
    }

    async fn page(&self, offset: usize) -> Page<LeadItem> {
        self.read(format!("{}/leads?limit=200&offset={offset}", self.url)).await
    }

    async fn read<T: serde::de::DeserializeOwned>(&self, url: String) -> T {
        let response = self.http.get(url).bearer_auth(&self.token).send().await.unwrap().error_for_status().unwrap();
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }
}

async fn compare(name: &str, bare: impl AsyncFn(), ours: impl AsyncFn()) {
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        let (mut by_bare, mut by_ours) = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
        // The calls alternate, so that other load on the machine affects both in the same way.
        for _ in 0..CALLS {
            by_bare.push(time(&bare).await);
            by_ours.push(time(&ours).await);
        }
        rounds.push((median(by_bare.into_iter()), median(by_ours.into_iter())));
    }
    // Drops the first round, which is a warm-up.
    let rounds = &rounds[1..];
    let bare = median(rounds.iter().map(|(bare, _)| *bare));
    let ours = median(rounds.iter().map(|(_, ours)| *ours));
    let ratio = median(rounds.iter().map(|(bare, ours)| ours / bare));
    println!("{name:<12} bare {bare:>7.1}   client {ours:>7.1}   ratio {ratio:.3}");
}

/// Returns the duration of a call in microseconds.
async fn time(call: &impl AsyncFn()) -> f64 {
    let start = Instant::now();
    call().await;
    start.elapsed().as_secs_f64() * 1e6
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
