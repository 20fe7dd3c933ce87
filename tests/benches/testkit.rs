//! Compares the test kit with bare wiremock and bare reqwest in the same run. Measures a suite of 200 tests with one
//! server each, and a single start.
//!
//! As under `#[tokio::test]`, each test has its own single-threaded runtime. Runs of the suites alternate.

#![allow(
    missing_docs,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

use std::time::{Duration, Instant};

use leadapi_client::{id::LeadId, model::Lead};
use leadapi_testkit::{FakeLeadApi, MockLeadApi, cassette::Cassette};
use tokio::runtime::Builder;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

const ROUNDS: usize = 7;
const TESTS: usize = 200;
const STARTS: usize = 200;
const HAR: &str = r#"{"log": {"entries": []}}"#;

fn main() {
    let lead = || Lead::new(id(), "casa-verde".parse().unwrap(), "Ann", "2026-05-04T12:00:00Z".parse().unwrap());
    let ours = async || {
        let api = MockLeadApi::start().await;
        api.on_get(&id()).returns(lead());
        assert_eq!(api.client().leads().get(&id()).await.unwrap(), lead());
        api.verify().await;
    };
    let bare = async |http: reqwest::Client| {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_json(lead());
        Mock::given(method("GET")).and(path("/v1/leads/lead-1")).respond_with(answer).expect(1).mount(&server).await;
        let url = format!("{}/v1/leads/lead-1", server.uri());
        let answer = http.get(url).bearer_auth("pak_0123").send().await.unwrap();
        assert_eq!(serde_json::from_slice::<Lead>(&answer.bytes().await.unwrap()).unwrap(), lead());
        server.verify().await;
    };
    let as_it_is = async || bare(reqwest::Client::new()).await;
    let without_certificates = async || bare(bare_client()).await;
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push([times(TESTS, &as_it_is), times(TESTS, &without_certificates), times(TESTS, &ours)].map(seconds));
    }
    println!(
        "{TESTS} tests, each with its own server and client; medians of {ROUNDS} rounds, and of the ratios per round"
    );
    for (at, name) in ["bare", "bare, without root certificates", "kit"].into_iter().enumerate() {
        let (each, ratio) = (|round: &[f64; 3]| round[at], |round: &[f64; 3]| round[2] / round[at]);
        let of = |figure: &dyn Fn(&[f64; 3]) -> f64| median(&rounds[1..].iter().map(figure).collect::<Vec<_>>());
        println!("{name:<32} {:>6.2} s   kit/this {:.2}", of(&each), of(&ratio));
    }
    let pooled = start("bare wiremock, from its pool", async || drop(MockServer::start().await));
    let own = start("bare wiremock, not from the pool", async || drop(MockServer::builder().start().await));
    let cassette = Cassette::parse(HAR).unwrap();
    for (name, cost) in [
        ("mock", start("mock", async || drop(MockLeadApi::start().await))),
        ("fake", start("fake", async || drop(FakeLeadApi::start().await))),
        ("replay", start("replay", async || cassette.replay().await.verify().unwrap())),
    ] {
        println!(
            "start of a {name}: {:.2} of the time for a pooled wiremock, {:.2} for one outside the pool",
            cost / pooled,
            cost / own
        );
    }
    start("client of the test kit", {
        let api = Builder::new_current_thread().enable_all().build().unwrap().block_on(MockLeadApi::start());
        async move || drop(api.client())
    });
    start("client of reqwest", async || drop(reqwest::Client::new()));
    start("the same, without root certificates", async || drop(bare_client()));
}

/// Returns a client without root certificates, because loading the system's certificates takes most of the startup
/// time.
fn bare_client() -> reqwest::Client {
    reqwest::Client::builder().tls_certs_only([]).build().unwrap()
}

fn id() -> LeadId {
    LeadId::parse("lead-1").unwrap()
}

/// Returns the total time of running a test `count` times in sequence.
fn times(count: usize, test: &impl AsyncFn()) -> Duration {
    let begun = Instant::now();
    for _ in 0..count {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(test());
    }
    begun.elapsed()
}

/// Prints and returns the median time of one start and stop, in microseconds.
fn start(name: &str, start: impl AsyncFn()) -> f64 {
    let mut each: Vec<f64> = (0..STARTS).map(|_| seconds(times(1, &start)) * 1e6).collect();
    each.sort_by(f64::total_cmp);
    println!("{name:<36} {:>6.0} µs", median(&each));
    median(&each)
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
