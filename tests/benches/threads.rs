//! What a second thread adds in process: the whole service on one thread and on two, by what the two of them share.
//!
//! The pair that shares nothing but the machine says what can be had here; every other pair is to be held against it.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and ends at the first thing that is wrong"
)]

use std::{
    hint::{black_box, spin_loop},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use bytes::Bytes;
use futures_executor::block_on;
use http::Request;
use http_body_util::Full;
use leadapi_core::{
    auth::{BearerToken, Scopes},
    dataset::{BusinessSeed, Dataset},
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::{TokenRecord, TokenStore},
    tokens::StoredTokens,
};
use leadapi_server::SAMPLE;
use tower::Service;

const ROUNDS: usize = 41;
const CALLS: usize = 3_000;

#[path = "common/allocator.rs"]
mod allocator;

fn main() {
    println!("medians of {ROUNDS} rounds of {CALLS} calls on each thread");
    println!("{:<20}{:<24}{:>10}{:>10}{:>8}", "", "the two share", "1 thread", "2 threads", "ratio");
    for (name, calls) in [("GET one", &[Call::Get][..]), ("GET list of 40", &[Call::List]), ("all of them", &Call::ALL)]
    {
        for shared in [Shared::Nothing, Shared::Service, Shared::Business, Shared::Token] {
            let (one, two, ratio) = growth(calls, &pair(shared));
            println!("{name:<20}{:<24}{one:>8.0} k{two:>8.0} k{ratio:>8.2}", shared.name());
        }
    }
    println!("\nGET one on one thread, while the other patches, against the same with another that shares nothing");
    let [reader, stranger] = pair(Shared::Nothing);
    for shared in [Shared::Service, Shared::Business] {
        let [own, writer] = pair(shared);
        let ratio = median((0..ROUNDS).map(|_| beside(&own, &writer) / beside(&reader, &stranger)).collect());
        println!("{:<20}{:<24}{ratio:>28.2}", "", shared.name());
    }
}

/// What two callers have in common.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Shared {
    Nothing,
    Service,
    Business,
    Token,
}

impl Shared {
    const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Service => "the service",
            Self::Business => "a business",
            Self::Token => "a token",
        }
    }
}

#[derive(Clone, Copy)]
enum Call {
    Get,
    List,
    Patch,
    Create,
}

impl Call {
    const ALL: [Self; 4] = [Self::Get, Self::List, Self::Patch, Self::Create];
}

/// A thread's own way to the service.
struct Caller {
    service: LeadService,
    token: String,
    lead: String,
    new: String,
}

fn pair(shared: Shared) -> [Caller; 2] {
    let mut seeds = [seed("a"), seed("b")];
    if shared >= Shared::Business {
        seeds[1].id = seeds[0].id.clone();
    }
    let secrets = [BearerToken::generate().unwrap(), BearerToken::generate().unwrap()];
    let service = |seeds: &[BusinessSeed]| {
        let tokens = MemoryTokens::default();
        for (seed, secret) in seeds.iter().zip(&secrets) {
            let record = TokenRecord::new(secret, "bench", Scopes::Both, seed.created_at);
            block_on(tokens.insert(&seed.id, record)).unwrap();
        }
        let many = u32::MAX.try_into().unwrap();
        LeadService::builder(MemoryStore::new(Dataset::new(seeds.to_vec())), StoredTokens::new(tokens, SystemClock))
            .limiter(SlidingWindow::new(Limits { reads: many, writes: many }))
            .build()
            .unwrap()
    };
    let both = service(&seeds);
    [0, 1].map(|nth| Caller {
        service: if shared == Shared::Nothing { service(&[seed("a"), seed("b")]) } else { both.clone() },
        token: format!("Bearer {}", secrets[if shared == Shared::Token { 0 } else { nth }].expose()),
        lead: seeds[nth].leads[nth].id.to_string(),
        new: format!(r#"{{"client_id":"{}","name":"Ada Lovelace","value":450}}"#, seeds[nth].clients[0].id),
    })
}

/// A business that has not so much as the text of an id in common with another.
fn seed(id: &str) -> BusinessSeed {
    let mut seed = Dataset::parse(SAMPLE).unwrap().businesses.remove(0);
    seed.id = id.parse().unwrap();
    seed
}

impl Caller {
    /// Requests are built beforehand: they are the host's work.
    fn requests(&self, calls: &[Call]) -> Vec<Request<Full<Bytes>>> {
        let one = format!("/leads/{}", self.lead);
        let request = |call: &Call| {
            let (method, path, body) = match call {
                Call::Get => ("GET", one.as_str(), ""),
                Call::List => ("GET", "/leads?limit=40", ""),
                Call::Patch => ("PATCH", one.as_str(), r#"{"value":451,"notes":"called"}"#),
                Call::Create => ("POST", "/leads", self.new.as_str()),
            };
            let request = Request::builder().method(method).uri(path).header("authorization", &self.token);
            request.body(Full::from(body.to_owned())).unwrap()
        };
        calls.iter().cycle().take(CALLS).map(request).collect()
    }
}

fn call(service: &mut LeadService, request: Request<Full<Bytes>>) {
    let response = block_on(service.call(request)).unwrap();
    assert!(black_box(response).status().is_success());
}

/// Thousands of calls in a second on one thread and on two, and how much more the second is.
fn growth(calls: &[Call], callers: &[Caller; 2]) -> (f64, f64, f64) {
    let (mut ones, mut twos, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let one = round(calls, &callers[..1]);
        let two = round(calls, callers);
        ones.push(one);
        twos.push(two);
        ratios.push(two / one);
    }
    (median(ones), median(twos), median(ratios))
}

fn round(calls: &[Call], callers: &[Caller]) -> f64 {
    let ready = AtomicUsize::new(callers.len());
    let (begun, ended) = thread::scope(|scope| {
        let threads: Vec<_> = callers
            .iter()
            .enumerate()
            .map(|(core, caller)| {
                let ready = &ready;
                scope.spawn(move || {
                    stay_on(core);
                    let mut service = caller.service.clone();
                    let requests = caller.requests(calls);
                    start_together(ready);
                    let begun = Instant::now();
                    for request in requests {
                        call(&mut service, request);
                    }
                    (begun, Instant::now())
                })
            })
            .collect();
        let times: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        (times.iter().map(|(begun, _)| *begun).min().unwrap(), times.iter().map(|(_, ended)| *ended).max().unwrap())
    });
    (CALLS * callers.len()) as f64 / (ended - begun).as_secs_f64() / 1_000.0
}

/// Seconds that a reader takes while a writer does nothing else.
fn beside(reader: &Caller, writer: &Caller) -> f64 {
    let (ready, is_over) = (AtomicUsize::new(2), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            stay_on(1);
            let mut service = writer.service.clone();
            let mut requests = writer.requests(&[Call::Patch]);
            start_together(&ready);
            while !is_over.load(Ordering::Relaxed) {
                match requests.pop() {
                    Some(request) => call(&mut service, request),
                    None => requests = writer.requests(&[Call::Patch]),
                }
            }
        });
        let reader = scope.spawn(|| {
            stay_on(0);
            let mut service = reader.service.clone();
            let requests = reader.requests(&[Call::Get]);
            start_together(&ready);
            let begun = Instant::now();
            for request in requests {
                call(&mut service, request);
            }
            is_over.store(true, Ordering::Relaxed);
            begun.elapsed().as_secs_f64()
        });
        reader.join().unwrap()
    })
}

/// In rounds this short two threads may well share a core to the end.
fn stay_on(core: usize) {
    let cores = core_affinity::get_core_ids().unwrap();
    assert!(core_affinity::set_for_current(cores[core]));
}

fn start_together(missing: &AtomicUsize) {
    missing.fetch_sub(1, Ordering::Relaxed);
    while missing.load(Ordering::Relaxed) > 0 {
        spin_loop();
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
