//! Makes so many calls of one operation: `calls "GET one" 1000`.
#![allow(clippy::unwrap_used, reason = "a measurement ends at the first thing that is wrong")]

use std::env;

use leadapi_cost::{Calls, OPERATIONS};

fn main() {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap();
    let count = arguments.next().unwrap().parse().unwrap();
    let operation = OPERATIONS.iter().find(|operation| operation.name == name).unwrap();
    measured(&mut Calls::prepare(operation, count));
}

/// What stands before it is not counted.
#[inline(never)]
fn measured(calls: &mut Calls) {
    calls.make();
}
