//! Simulates the client and the service with a few seeds. `cargo run -p leadapi-tests --bin simulate` runs more seeds.
#![cfg(target_os = "linux")]
#![allow(clippy::panic, clippy::print_stderr, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use leadapi_tests::simulation::{Faults, Protocol, Simulation, Trace};

const SEEDS: u64 = 30;

fn run(seed: u64, protocol: Protocol, faults: Faults) -> Trace {
    Simulation { seed, protocol, faults }.run(env!("CARGO_BIN_EXE_simulate")).unwrap_or_else(|error| panic!("{error}"))
}

fn run_seeds(protocol: Protocol) {
    let mut total = Trace::default();
    (0..SEEDS).for_each(|seed| total.add(&run(seed, protocol, Faults::All)));
    eprintln!("{protocol:?}: {total:?}");
    // The simulation is meaningful only if faults are frequent. Without faults, each call takes one request.
    assert!(total.requests > total.calls * 21 / 20 && total.crashes > SEEDS && total.drains > SEEDS, "{total:?}");
}

#[test]
fn no_lead_is_lost_or_created_twice_over_http_1() {
    run_seeds(Protocol::Http1);
}

#[test]
fn no_lead_is_lost_or_created_twice_over_http_2() {
    run_seeds(Protocol::Http2);
}

#[test]
fn without_faults_each_call_takes_one_request() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let trace = run(1, protocol, Faults::None);
        assert_eq!(trace.requests, trace.calls, "{protocol:?}");
    }
}

#[test]
fn a_seed_always_gives_the_same_run() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        assert_eq!(run(7, protocol, Faults::All), run(7, protocol, Faults::All), "{protocol:?}");
    }
}
