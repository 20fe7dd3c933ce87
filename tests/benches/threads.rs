//! Measures how the service scales to a second thread: in-process calls run on one thread and on two. The measurements
//! differ in the state that the two callers share.
//!
//! Two callers that share nothing but the machine set the upper bound for every other pair. The two processors of a
//! virtual machine may be two cores at one time and two hardware threads of the same core at another. The last columns
//! therefore cover only the rounds in which the upper bound shows that two cores were available.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
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
    dataset::{BusinessSeed, Dataset, SAMPLE},
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::{TokenRecord, TokenStore},
    tokens::StoredTokens,
};
use tower::Service;

const ROUNDS: usize = 101;
const CALLS: usize = 3_000;
/// The minimum speedup of the upper bound for a round to count as having had two cores. Two threads that share nothing
/// reach 1.9 to 2 on two cores, and 1.1 to 1.4 on two hardware threads of one core.
const TWO_CORES: f64 = 1.8;

#[path = "common/allocator.rs"]
mod allocator;

fn main() {
    println!("medians of {ROUNDS} rounds of {CALLS} calls on each thread");
    println!(
        "{:<20}{:<16}{:>10}{:>10}{:>8}{:>12}{:>14}{:>8}",
        "", "the two share", "1 thread", "2 threads", "ratio", "of nothing", "on two cores", "rounds"
    );
    let pairs = Shared::ALL.map(|shared| (shared, pair(shared)));
    for (name, calls) in [("GET one", &[Call::Get][..]), ("GET list of 40", &[Call::List]), ("all of them", &Call::ALL)]
    {
        for (shared, growth) in growth(calls, &pairs) {
            let Growth { one, two, ratio, of_nothing, on_two_cores, rounds } = growth;
            print!("{name:<20}{:<16}{one:>8.0} k{two:>8.0} k{ratio:>8.2}", shared.name());
            println!("{of_nothing:>12.2}{on_two_cores:>14.2}{rounds:>8}");
        }
    }
    println!("\nGET one on one thread while the other thread patches; time relative to a pair that shares nothing");
    let [reader, stranger] = pair(Shared::Nothing);
    for shared in [Shared::Service, Shared::Business] {
        let [own, writer] = pair(shared);
        let ratio = median(
            (0..ROUNDS).map(|_| read_during_writes(&own, &writer) / read_during_writes(&reader, &stranger)).collect(),
        );
        println!("{:<20}{:<24}{ratio:>28.2}", "", shared.name());
    }
}

/// The state that the two callers share.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Shared {
    Nothing,
    Service,
    Business,
    Token,
}

impl Shared {
    const ALL: [Self; 4] = [Self::Nothing, Self::Service, Self::Business, Self::Token];

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

/// A service handle, and the request parameters of one thread.
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
            .limiter(SlidingWindow::new(Limits::new(many, many)))
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

/// Parses the business again, so that it shares no memory with the others, not even the text of an id.
fn seed(id: &str) -> BusinessSeed {
    let mut seed = Dataset::parse(SAMPLE).unwrap().businesses.remove(0);
    seed.id = id.parse().unwrap();
    seed
}

impl Caller {
    /// Builds the requests in advance, because building them is the host's work and must not be measured.
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

/// The gain of a pair from a second thread. All rates and ratios are medians over the rounds.
struct Growth {
    /// Thousands of calls per second on one thread. The next field contains the value for two threads.
    one: f64,
    two: f64,
    /// The rate on two threads divided by the rate on one.
    ratio: f64,
    /// The rate of this pair relative to the pair that shares nothing, both on two threads.
    of_nothing: f64,
    /// The ratio over only those `rounds` that had two cores; NaN if there were none.
    on_two_cores: f64,
    rounds: usize,
}

/// Measures the pairs alternately, because the machine's performance varies over time.
fn growth(calls: &[Call], pairs: &[(Shared, [Caller; 2]); 4]) -> [(Shared, Growth); 4] {
    let rounds: Vec<_> =
        (0..ROUNDS).map(|_| pairs.each_ref().map(|(_, pair)| [round(calls, &pair[..1]), round(calls, pair)])).collect();
    let ratio = |[one, two]: [f64; 2]| two / one;
    let on_two_cores: Vec<_> = rounds.iter().filter(|round| ratio(round[0]) >= TWO_CORES).collect();
    std::array::from_fn(|nth| {
        let growth = Growth {
            one: median(rounds.iter().map(|round| round[nth][0]).collect()),
            two: median(rounds.iter().map(|round| round[nth][1]).collect()),
            ratio: median(rounds.iter().map(|round| ratio(round[nth])).collect()),
            of_nothing: median(rounds.iter().map(|round| round[nth][1] / round[0][1]).collect()),
            on_two_cores: median(on_two_cores.iter().map(|round| ratio(round[nth])).collect()),
            rounds: on_two_cores.len(),
        };
        (pairs[nth].0, growth)
    })
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

/// Returns the seconds that a reader takes for its calls while a writer patches continuously.
fn read_during_writes(reader: &Caller, writer: &Caller) -> f64 {
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

/// Pins the thread to a core. Otherwise the scheduler may run both threads on one core for a whole round.
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
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
