//! Makes a given number of calls to one operation, for example `calls "GET one" 1000`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the measurement")]

use std::env;

use leadapi_cost::{Calls, OPERATIONS};

fn main() {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap();
    let count = arguments.next().unwrap().parse().unwrap();
    let operation = OPERATIONS.iter().find(|operation| operation.name == name).unwrap();
    measured(&mut Calls::prepare(operation, count));
}

/// Makes the measured calls. Callgrind counts only inside this function (`--toggle-collect`), so the preparation is
/// excluded.
#[inline(never)]
fn measured(calls: &mut Calls) {
    calls.make();
}
