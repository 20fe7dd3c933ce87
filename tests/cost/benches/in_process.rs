//! Measures how long one in-process call to the service takes. The call uses no socket and no async runtime, but the
//! service is otherwise complete.

#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark prints")]

use std::time::Instant;

use leadapi_cost::{Calls, OPERATIONS};

const ROUNDS: usize = 15;
const CALLS: u32 = 20_000;

fn main() {
    println!("median of {ROUNDS} rounds of {CALLS} calls");
    for operation in OPERATIONS {
        let mut rounds = [(); ROUNDS].map(|()| {
            let mut calls = Calls::prepare(&operation, CALLS as usize);
            let start = Instant::now();
            calls.make();
            start.elapsed() / CALLS
        });
        rounds.sort();
        println!("{:<16} {:?}", operation.name, rounds[ROUNDS / 2]);
    }
}
