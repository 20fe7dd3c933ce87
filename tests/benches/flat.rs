//! Compares the latency of requests with few and with many leads in the in-memory store, over one keep-alive HTTP
//! connection. Also compares the memory per lead with the size of its JSON.
//!
//! The caller and the server share one core, because only one of them works at a time. On two cores, each request would
//! also have to wake the other thread, and the operating system determines how long that takes.
//!
//! `LEADAPI_BENCH_LEADS=1000,100000` sets the sizes. Each ratio is relative to the first size.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

use std::{
    alloc::System,
    env,
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use leadapi_core::{
    dataset::{BusinessSeed, Dataset, SAMPLE},
    model::Lead,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[path = "common/server.rs"]
mod server;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SIZES: &str = "1000,100000,1000000";
const MANY_BUSINESSES: usize = 10_000;
const REQUESTS: usize = 2_000;

fn main() {
    // Threads spawned later inherit the affinity.
    assert!(core_affinity::set_for_current(core_affinity::get_core_ids().unwrap().pop().unwrap()));
    let sizes = env::var("LEADAPI_BENCH_LEADS").unwrap_or_else(|_| SIZES.to_owned());
    let sizes: Vec<usize> = sizes.split(',').map(|size| size.trim().parse().unwrap()).collect();
    let mut first = None;
    for (leads, businesses) in sizes.iter().map(|size| (*size, 1)).chain([(1_000_000, MANY_BUSINESSES)]) {
        println!("\n{leads} leads in {businesses} business(es)");
        let times = measure(leads, businesses);
        let first = first.get_or_insert_with(|| times.clone());
        println!("  {:<34} {:>9} {:>9} {:>7}", "", "p50", "p99", "ratio");
        for ((name, p50, p99), (_, least, _)) in times.iter().zip(first.iter()) {
            println!("  {name:<34} {p50:>9.1?} {p99:>9.1?} {:>7.2}", p50.as_secs_f64() / least.as_secs_f64());
        }
    }
}

type Times = Vec<(&'static str, Duration, Duration)>;

fn measure(leads: usize, businesses: usize) -> Times {
    let before = MEMORY.stats();
    let dataset = dataset(leads, businesses);
    let json: usize = dataset.businesses[0].leads.iter().map(|lead| serde_json::to_vec(lead).unwrap().len()).sum();
    let json = json as f64 / dataset.businesses[0].leads.len() as f64;
    let (client, stage) = {
        let business = &dataset.businesses[0];
        (business.clients[0].id.to_string(), business.pipelines[0].stages[0].id.to_string())
    };
    let other = dataset.businesses[0].pipelines[0].stages[1].id.to_string();
    let existing = dataset.businesses[0].leads.len();
    let (address, token) = server::start(dataset);
    let after = MEMORY.stats();
    let retained = |stats: &stats_alloc::Stats| stats.bytes_allocated as f64 - stats.bytes_deallocated as f64;
    let each = (retained(&after) - retained(&before)) / leads as f64;
    println!("  memory: {each:.0} bytes per lead, {json:.0} bytes as JSON, ratio {:.2}", each / json);

    let mut peer = Peer { stream: TcpStream::connect(address).unwrap(), token };
    peer.stream.set_nodelay(true).unwrap();
    let first_id = |peer: &mut Peer, offset: usize| {
        let page: serde_json::Value =
            serde_json::from_slice(&peer.request("GET", &format!("/leads?limit=1&offset={offset}"), "")).unwrap();
        page["data"][0]["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<String> = (0..64).map(|nth| first_id(&mut peer, nth * existing / 64)).collect();
    let id = |nth: usize| &ids[nth % ids.len()];
    // Warms up, so that the background work after the loading of the data has time to finish.
    (0..REQUESTS).for_each(|nth| drop(peer.request("GET", &format!("/leads/{}", id(nth)), "")));
    let mut times = Vec::new();
    let mut time = |name, peer: &mut Peer, request: &mut dyn FnMut(usize, &mut Peer)| {
        let mut durations: Vec<Duration> = (0..REQUESTS)
            .map(|nth| {
                let start = Instant::now();
                request(nth, peer);
                start.elapsed()
            })
            .collect();
        durations.sort();
        times.push((name, durations[REQUESTS / 2], durations[REQUESTS * 99 / 100]));
    };
    let get = |path: String| move |_: usize, peer: &mut Peer| drop(peer.request("GET", &path, ""));
    time("get", &mut peer, &mut |nth, peer| drop(peer.request("GET", &format!("/leads/{}", id(nth)), "")));
    time("first page of 50", &mut peer, &mut get("/leads".to_owned()));
    time("page of 50 at 90 % depth", &mut peer, &mut get(format!("/leads?offset={}", existing * 9 / 10)));
    time("leads of a client account", &mut peer, &mut get(format!("/leads?client_id={client}")));
    time("leads in a stage", &mut peer, &mut get(format!("/leads?stage_id={stage}")));
    time("of both", &mut peer, &mut get(format!("/leads?client_id={client}&stage_id={stage}")));
    time("total (a page of 1)", &mut peer, &mut get("/leads?limit=1".to_owned()));
    let mut created = Vec::new();
    time("create", &mut peer, &mut |_, peer| {
        let body = format!(r#"{{"client_id":"{client}","name":"Ann","stage_id":"{stage}"}}"#);
        created.push(peer.request("POST", "/leads", &body));
    });
    time("patch that moves the stage", &mut peer, &mut |nth, peer| {
        let stage = if (nth / ids.len()).is_multiple_of(2) { &other } else { &stage };
        peer.request("PATCH", &format!("/leads/{}", id(nth)), &format!(r#"{{"stage_id":"{stage}"}}"#));
    });
    let created: Vec<String> =
        created.iter().map(|lead| serde_json::from_slice::<Lead>(lead).unwrap().id.to_string()).collect();
    time("delete", &mut peer, &mut |nth, peer| drop(peer.request("DELETE", &format!("/leads/{}", created[nth]), "")));
    times
}

/// Returns businesses with leads like the sample's, one per second, evenly spread over client accounts and stages.
fn dataset(leads: usize, businesses: usize) -> Dataset {
    Dataset::new((0..businesses).map(|nth| business(nth, leads / businesses)).collect())
}

/// Returns one business. Parses the sample and its ids again each time, so that no two ids share memory, as in
/// production.
fn business(nth: usize, leads: usize) -> BusinessSeed {
    let mut business = Dataset::parse(SAMPLE).unwrap().businesses.remove(0);
    let model = std::mem::take(&mut business.leads);
    if nth > 0 {
        business.id = format!("business-{nth}").parse().unwrap();
        business.tokens.clear();
    }
    let pipeline = &business.pipelines[0];
    let start = model[0].created_at;
    business.leads = (0..leads)
        .map(|lead| {
            let mut created = model[lead % model.len()].clone();
            created.id = format!("019bb17b-d806-7737-{:04x}-{lead:012x}", nth % 0x1_0000).parse().unwrap();
            created.client_id = business.clients[lead % business.clients.len()].id.as_str().parse().unwrap();
            created.pipeline_id = Some(pipeline.id.as_str().parse().unwrap());
            created.stage_id = Some(pipeline.stages[lead / 7 % pipeline.stages.len()].id.as_str().parse().unwrap());
            created.created_at = start.checked_add(Duration::from_secs(lead as u64)).unwrap();
            created
        })
        .collect();
    business
}

struct Peer {
    stream: TcpStream,
    token: String,
}

impl Peer {
    /// Sends a request, checks that it succeeds, and returns the body of the response.
    fn request(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let request = format!(
            "{method} /v1{path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        self.stream.write_all(request.as_bytes()).unwrap();
        let (mut answer, mut piece) = (Vec::new(), vec![0; 65_536]);
        loop {
            let read = self.stream.read(&mut piece).unwrap();
            answer.extend_from_slice(&piece[..read]);
            let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&answer[..end]).unwrap();
            assert!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {}", String::from_utf8_lossy(&answer));
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if answer.len() == end + 4 + length.map_or(0, |length| length.parse().unwrap()) {
                return answer.split_off(end + 4);
            }
        }
    }
}
