//! Makes a given number of calls to one operation, or walks through a form that many times, for example `calls "GET
//! one" 1000`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the measurement")]

use std::env;

use leadapi_cost::with_calls;

fn main() {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap();
    let count = arguments.next().unwrap().parse().unwrap();
    with_calls(&name, count, measured);
}

/// Makes the measured calls. Callgrind counts only inside this function (`--toggle-collect`), so the preparation is
/// excluded.
#[inline(never)]
fn measured(calls: &mut dyn FnMut()) {
    calls();
}
